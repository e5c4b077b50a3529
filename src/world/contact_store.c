#include "world/contact_store.h"

const rps_segment *rps_entry_segment(const rps_contacts *contacts, size_t entry) {
    size_t low = 0, high = contacts->segments;
    while (high - low > 1) {
        const size_t mid = low + (high - low) / 2;
        if (contacts->segment[mid].begin <= entry) {
            low = mid;
        } else {
            high = mid;
        }
    }
    return &contacts->segment[low];
}
