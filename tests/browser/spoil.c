/* Overwrites numbers of a result: spoil FILE DATASET FIRST COUNT NUMBER, of a dataset of doubles counted as one row. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    if (argc != 6) return 2;
    const hid_t file = H5Fopen(argv[1], H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t dataset = H5Dopen2(file, argv[2], H5P_DEFAULT);
    const hid_t space = H5Dget_space(dataset);
    const hssize_t points = H5Sget_simple_extent_npoints(space);
    double *number = points > 0 ? malloc((size_t)points * sizeof *number) : NULL;
    const long first = strtol(argv[3], NULL, 10), count = strtol(argv[4], NULL, 10);
    if (!number || first < 0 || first + count > points) return 1;
    if (H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, number) < 0) return 1;
    for (long n = first; n < first + count; n++) number[n] = strtod(argv[5], NULL);
    const herr_t written = H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, number);
    free(number);
    H5Sclose(space);
    H5Dclose(dataset);
    return written < 0 || H5Fclose(file) < 0;
}
