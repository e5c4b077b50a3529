"""What runs say between the points that were run: a Gaussian process for each target, over parameters scaled to [0, 1].

The mean is a polynomial of first order; deviations from it have a squared-exponential covariance with a length for each
parameter. Amplitude, lengths and, with one seed, the noise maximise the marginal likelihood (Rasmussen & Williams 2006, chapters
2 and 5). With several seeds the noise is what they say: the variance between seeds, pooled over all points, over their number.
"""

from __future__ import annotations

import numpy as np

_NOISE_LEAST = 1e-8  # of the variance of the values: keeps matrices that are inverted regular


class Process:
    """A Gaussian process through values `y` (n,) at `x` (n, d), with the variance `noise` of each (NaN: found from the data)."""

    def __init__(self, x: np.ndarray, y: np.ndarray, noise: float) -> None:
        from scipy.optimize import minimize

        self.x, dimensions = x, x.shape[1]
        self._shift, self._scale = float(y.mean()), float(y.std()) or 1.0
        self._y = (y - self._shift) / self._scale
        self._noise = noise / self._scale**2
        self._basis = _linear(x)
        best = None
        for length in (0.3, 1.0):
            start = np.log(np.r_[1.0, np.full(dimensions, length), 1e-2])
            bounds = [(-4.0, 4.0)] + [(np.log(0.05), np.log(10.0))] * dimensions + [(np.log(_NOISE_LEAST), np.log(2.0))]
            found = minimize(self._fit, start, method="L-BFGS-B", bounds=bounds)
            if best is None or found.fun < best.fun:
                best = found
        assert best is not None
        self._fit(best.x)
        # The inverse of the factor: places are many and small matrices, so products are what is quick.
        self._inverse = np.linalg.inv(np.tril(self._factor[0]))
        self._across = self._inverse.T @ (self._inverse @ self._basis)
        self._back = np.linalg.inv(self._gram)

    def _fit(self, theta: np.ndarray) -> float:
        from scipy.linalg import cho_factor, cho_solve

        self._amplitude, self._length = float(np.exp(theta[0])), np.exp(theta[1:-1])
        noise = self._noise if np.isfinite(self._noise) else float(np.exp(theta[-1]))
        self.noise = max(noise, _NOISE_LEAST) * self._scale**2
        k = self._covariance(self.x, self.x)
        k[np.diag_indices_from(k)] += max(noise, _NOISE_LEAST)
        self._factor = cho_factor(k, lower=True, check_finite=False)
        solved = cho_solve(self._factor, self._basis, check_finite=False)
        self._gram = self._basis.T @ solved + 1e-6 * np.eye(self._basis.shape[1])  # a wide prior of the polynomial
        self._trend = np.linalg.solve(self._gram, solved.T @ self._y)
        rest = self._y - self._basis @ self._trend
        self._weights = cho_solve(self._factor, rest, check_finite=False)
        return float(0.5 * rest @ self._weights + np.log(np.diag(self._factor[0])).sum() + 0.5 * np.linalg.slogdet(self._gram)[1])

    def _covariance(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        distance = (a[:, None, :] - b[None, :, :]) / self._length
        return np.asarray(self._amplitude * np.exp(-0.5 * (distance**2).sum(axis=2)))

    def __call__(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance of the response at `x` (m, d), without the noise of runs."""
        across, basis = self._covariance(x, self.x), _linear(x)
        known = across @ self._inverse.T
        mean = basis @ self._trend + across @ self._weights
        left = basis - across @ self._across
        variance = self._amplitude - (known**2).sum(axis=1) + ((left @ self._back) * left).sum(axis=1)
        return mean * self._scale + self._shift, np.maximum(variance, 0.0) * self._scale**2


def _linear(x: np.ndarray) -> np.ndarray:
    return np.hstack([np.ones((len(x), 1)), x])


class Surrogate:
    """All targets together, and the likelihood of what was measured."""

    def __init__(self, x: np.ndarray, means: np.ndarray, spreads: np.ndarray, seeds: int, targets: np.ndarray) -> None:
        noise = spreads.mean(axis=0) / seeds  # NaN with one seed
        self.targets = targets  # (k, 2): value and standard uncertainty
        self.processes = [Process(x, means[:, k], float(noise[k])) for k in range(len(targets))]

    def predict(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Means and variances (m, k)."""
        rows = [process(x) for process in self.processes]
        return np.stack([row[0] for row in rows], axis=1), np.stack([row[1] for row in rows], axis=1)

    def log_likelihood(self, x: np.ndarray) -> np.ndarray:
        """Of independent normal errors: those of the targets, and what the surrogate does not know; -inf outside the box."""
        mean, variance = self.predict(x)
        total = variance + self.targets[:, 1] ** 2
        value = -0.5 * ((mean - self.targets[:, 0]) ** 2 / total + np.log(total)).sum(axis=1)
        return np.where(((x >= 0) & (x <= 1)).all(axis=1), value, -np.inf)

    def sample(self, random: np.random.Generator, count: int) -> np.ndarray:
        """Draws from the posterior with a uniform prior over the box: the stretch moves of Goodman & Weare (2010)."""
        dimensions = self.processes[0].x.shape[1]
        walkers = 2 * max(16, 2 * dimensions)
        start = random.random((2048, dimensions))
        weight = self.log_likelihood(start)
        weight = np.exp(weight - weight.max())
        place = start[random.choice(len(start), walkers, p=weight / weight.sum())]
        place = np.clip(place + 1e-3 * random.standard_normal(place.shape), 0, 1)
        value, half, kept = self.log_likelihood(place), walkers // 2, list[np.ndarray]()
        steps, burn = -(-count // walkers) * 4, 100  # a fourth is kept: neighbors in a chain are alike
        for step in range(burn + steps):
            for part in (slice(0, half), slice(half, walkers)):
                others = place[half:] if part.start == 0 else place[:half]
                stretch = (random.random(half) + 1) ** 2 / 2  # density 1/sqrt(z) on [1/2, 2]
                from_ = others[random.integers(half, size=half)]
                proposed = from_ + stretch[:, None] * (place[part] - from_)
                new = self.log_likelihood(proposed)
                with np.errstate(invalid="ignore"):
                    accept = np.log(random.random(half)) < (dimensions - 1) * np.log(stretch) + new - value[part]
                place[part] = np.where(accept[:, None], proposed, place[part])
                value[part] = np.where(accept, new, value[part])
            if step >= burn and step % 4 == 0:
                kept.append(place.copy())
        return np.concatenate(kept)[:count]

    def best(self, samples: np.ndarray) -> np.ndarray:
        """The place of the largest likelihood."""
        from scipy.optimize import minimize

        start = samples[np.argmax(self.log_likelihood(samples))]
        found = minimize(
            lambda x: -float(self.log_likelihood(np.clip(x, 0, 1)[None])[0]), start, method="Nelder-Mead", options={"xatol": 1e-5}
        )
        return np.asarray(np.clip(found.x, 0, 1))
