/* Memory: overflow checks, growth, failures that leave everything as it was, and the stack discipline of the arena. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Counts memory in use, checks the sizes that are released, and fails on request. */
typedef struct account {
    size_t blocks, bytes;
    long fail_after; /* allocations that still succeed; -1: all */
} account;

static void *account_alloc(void *ctx, size_t size, size_t align) {
    account *a = ctx;
    if (a->fail_after == 0) {
        return NULL;
    }
    if (a->fail_after > 0) {
        a->fail_after--;
    }
    a->blocks++;
    a->bytes += size;
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static void account_release(void *ctx, void *p, size_t size) {
    account *a = ctx;
    assert_non_null(p);
    a->blocks--;
    a->bytes -= size;
    free(p);
}

static rps_allocator counted(account *a) {
    *a = (account){0, 0, -1};
    return (rps_allocator){account_alloc, account_release, a};
}

static int is_aligned(const void *p) {
    return (uintptr_t)p % RPS_ALIGNMENT == 0;
}

static void test_sizes(void **state) {
    (void)state;
    size_t n;
    rps_error err;
    assert_true(rps_size_add(SIZE_MAX - 1, 1, &n) && n == SIZE_MAX);
    assert_false(rps_size_add(SIZE_MAX, 1, &n));
    assert_true(rps_size_mul(SIZE_MAX / 3, 3, &n));
    assert_false(rps_size_mul(SIZE_MAX / 3 + 1, 3, &n));
    assert_int_equal(rps_size_of_items(5, 8, &n, &err), RPS_OK);
    assert_int_equal(n, 40);
    assert_int_equal(rps_size_of_items(SIZE_MAX / 4, 8, &n, &err), RPS_NO_MEMORY);
    assert_non_null(strstr(err.text, "items of 8 bytes"));
}

static void test_blocks(void **state) {
    (void)state;
    void *p;
    /* Small, and large enough for huge pages, from the default allocator. */
    const size_t sizes[] = {1, 63, 64, 100000, (size_t)5 << 20};
    for (int k = 0; k < 5; k++) {
        assert_int_equal(rps_memory_alloc_zeroed(NULL, sizes[k], &p, NULL), RPS_OK);
        assert_true(is_aligned(p));
        assert_int_equal(((char *)p)[0] | ((char *)p)[sizes[k] - 1], 0);
        rps_memory_release(NULL, p, sizes[k]);
    }
    assert_int_equal(rps_memory_alloc(NULL, 0, &p, NULL), RPS_OK);
    assert_null(p);
    rps_memory_release(NULL, NULL, 0);
    rps_error err;
    p = &err;
    assert_int_equal(rps_memory_alloc(NULL, SIZE_MAX, &p, &err), RPS_NO_MEMORY);
    assert_null(p);
    assert_int_equal(err.status, RPS_NO_MEMORY);
}

static void test_buffer_grows(void **state) {
    (void)state;
    account a;
    rps_allocator allocator = counted(&a);
    void *p = NULL;
    size_t capacity = 0;
    int moves = 0;
    for (size_t n = 0; n < 10000; n++) {
        size_t before = capacity;
        assert_int_equal(rps_buffer_reserve(&allocator, &p, &capacity, 4 * n, 4 * (n + 1), NULL), RPS_OK);
        moves += capacity != before;
        assert_true(capacity >= 4 * (n + 1) && capacity % RPS_ALIGNMENT == 0 && is_aligned(p));
        ((uint32_t *)p)[n] = (uint32_t)n;
        assert_int_equal(a.blocks, 1);
        assert_int_equal(a.bytes, capacity);
    }
    assert_true(moves < 25); /* 40000 bytes from 64 by factors of 1.5 take 17 */
    for (size_t n = 0; n < 10000; n++) {
        assert_int_equal(((uint32_t *)p)[n], n);
    }
    rps_buffer_release(&allocator, &p, &capacity);
    rps_buffer_release(&allocator, &p, &capacity);
    assert_true(p == NULL && capacity == 0 && a.blocks == 0 && a.bytes == 0);
}

static void test_buffer_failure_changes_nothing(void **state) {
    (void)state;
    account a;
    rps_allocator allocator = counted(&a);
    void *p = NULL;
    size_t capacity = 0;
    rps_error err;
    assert_int_equal(rps_buffer_reserve(&allocator, &p, &capacity, 0, 100, &err), RPS_OK);
    memset(p, 7, 100);
    void *old = p;
    a.fail_after = 0;
    assert_int_equal(rps_buffer_reserve(&allocator, &p, &capacity, 100, 1000, &err), RPS_NO_MEMORY);
    assert_int_equal(err.status, RPS_NO_MEMORY);
    assert_true(p == old && capacity == 128);
    assert_int_equal(((char *)p)[99], 7);
    assert_int_equal(rps_buffer_reserve(&allocator, &p, &capacity, 100, SIZE_MAX - 3, &err), RPS_NO_MEMORY);
    assert_int_equal(rps_buffer_reserve(&allocator, &p, &capacity, 129, 1000, &err), RPS_INTERNAL);
    assert_true(p == old && capacity == 128);
    rps_buffer_release(&allocator, &p, &capacity);
    assert_int_equal(a.bytes, 0);
}

static void test_arena(void **state) {
    (void)state;
    account a;
    rps_allocator allocator = counted(&a);
    rps_arena arena;
    rps_arena_init(&arena, &allocator);
    rps_arena_mark empty = rps_arena_get_mark(&arena);
    void *p, *q, *again;
    assert_int_equal(rps_arena_take(&arena, 100, &p, NULL), RPS_OK);
    memset(p, 1, 100);
    rps_arena_mark mark = rps_arena_get_mark(&arena);
    /* Grow through several blocks; nothing overlaps, what was taken before stays. */
    char *taken[40];
    for (int k = 0; k < 40; k++) {
        assert_int_equal(rps_arena_take(&arena, 10000, &q, NULL), RPS_OK);
        assert_true(is_aligned(q));
        memset(q, k, 10000);
        taken[k] = q;
    }
    for (int k = 0; k < 40; k++) {
        assert_true(taken[k][0] == k && taken[k][9999] == k);
    }
    assert_int_equal(((char *)p)[99], 1);
    assert_true(a.blocks > 1);
    assert_int_equal(arena.used, 128 + 40 * 10048);
    rps_arena_rewind(&arena, mark);
    assert_int_equal(arena.used, 128);
    assert_int_equal(arena.high_water, 128 + 40 * 10048);
    /* The same takings need no new memory and come to the same places. */
    a.fail_after = 0;
    for (int k = 0; k < 40; k++) {
        assert_int_equal(rps_arena_take(&arena, 10000, &again, NULL), RPS_OK);
        assert_ptr_equal(again, taken[k]);
    }
    rps_error err;
    assert_int_equal(rps_arena_take(&arena, (size_t)1 << 22, &q, &err), RPS_NO_MEMORY);
    assert_null(q);
    assert_int_equal(taken[39][9999], 39);
    assert_int_equal(rps_arena_take_items(&arena, SIZE_MAX / 2, 3, &q, &err), RPS_NO_MEMORY);
    assert_int_equal(rps_arena_take(&arena, SIZE_MAX, &q, &err), RPS_NO_MEMORY);
    /* A reservation makes the next taking safe, also where only small blocks are left over. */
    rps_arena_rewind(&arena, empty);
    assert_int_equal(arena.used, 0);
    a.fail_after = -1;
    assert_int_equal(rps_arena_reserve(&arena, 500000, NULL), RPS_OK);
    a.fail_after = 0;
    assert_int_equal(rps_arena_take_items(&arena, 62500, 8, &p, NULL), RPS_OK);
    memset(p, 3, 500000);
    rps_arena_release(&arena);
    assert_true(a.blocks == 0 && a.bytes == 0);
    a.fail_after = -1;
    assert_int_equal(rps_arena_take(&arena, 0, &p, NULL), RPS_OK);
    assert_non_null(p);
    rps_arena_release(&arena);
    assert_int_equal(a.bytes, 0);
}

/* Blocks of the default on both sides of the size from which they are mappings of their own. */
static void test_default(void **state) {
    (void)state;
    const rps_allocator *source = rps_default_allocator();
    const size_t size[] = {1, 4096, RPS_LARGE - 1, RPS_LARGE, 5 * (size_t)RPS_LARGE + 1};
    for (int k = 0; k < 5; k++) {
        char *p = source->alloc(source->ctx, size[k], RPS_ALIGNMENT);
        assert_non_null(p);
        assert_true(is_aligned(p));
        memset(p, 7, size[k]);
        source->release(source->ctx, p, size[k]);
    }
    assert_null(source->alloc(source->ctx, PTRDIFF_MAX, RPS_ALIGNMENT));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_buffer_grows), cmocka_unit_test(test_buffer_failure_changes_nothing),
        cmocka_unit_test(test_arena),        cmocka_unit_test(test_default),
    };
    return cmocka_run_group_tests_name("array", tests, NULL, NULL);
}
