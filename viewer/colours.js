// The colour map viridis by five stops, and colours of loads, walls and curves.
export const STOPS = [
    [68, 1, 84],
    [59, 82, 139],
    [33, 145, 140],
    [94, 201, 98],
    [253, 231, 37],
];
// Of the loads of contacts in pictures.
export const LOADS = [
    [254, 204, 92],
    [253, 141, 60],
    [240, 59, 32],
    [189, 0, 38],
    [110, 0, 38],
];
// Of the tension of bonds, from compression to tension.
export const TENSIONS = [
    [33, 102, 172],
    [103, 169, 207],
    [225, 225, 225],
    [239, 138, 98],
    [178, 24, 43],
];
export const WALL = [0.62, 0.67, 0.72];
export const PEN = [
    '#2a78c2',
    '#c2571a',
    '#2f8f46',
    '#a03bb0',
    '#b58900',
    '#16858c',
    '#c0305c',
    '#6a6f76',
    '#7a5230',
    '#4a4fb5',
];
export const pen = (k) => PEN[k % PEN.length];

// Red, green and blue, 0 to 255, of a share from 0 to 1.
export const colour = (share, stops = STOPS) => {
    const x = 4 * Math.min(Math.max(share, 0), 1),
        k = Math.min(Math.floor(x), 3);
    return stops[k].map((a, c) => a + (x - k) * (stops[k + 1][c] - a));
};

export const paintBar = (canvas, stops = STOPS) => {
    const paper = canvas.getContext('2d'),
        { width, height } = canvas;
    for (let x = 0; x < width; x++) {
        paper.fillStyle = `rgb(${colour(x / (width - 1), stops).map(Math.round)})`;
        paper.fillRect(x, 0, 1, height);
    }
};
