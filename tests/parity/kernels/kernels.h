// The C interface of the kernels: pointers are the host's, and sizes are
// counted in elements.
//
// Every function returns a status of the runtime, 0 for success, and all of its
// results are in the host's memory then. Whole numbers are 64 bits wide and
// real ones are doubles, whatever the kernels take, so that callers need no
// table of signatures. Each function is described where it is defined.
#pragma once

extern "C" {

using Count = long long;

// aggregated_atomics.cu
int parity_filter(Count by_mask, const int* values, Count count, Count limit,
                  int* kept, int* totals);
int parity_count_keys(const int* keys, Count count, Count different,
                      int* totals, int* operations);

// atomics.cu
int parity_integer_atomics(Count element, const void* values, Count count,
                           void* results);
int parity_wrapping_atomics(unsigned* counters, Count threads, Count times);
int parity_tickets(Count blocks, int* owners, int* seen, int* last);
int parity_made_atomics(const float* values, Count count, float* largest,
                        double* product);
int parity_shared_atomics(Count element, const void* values, Count count,
                          void* sum);
int parity_last_block(const int* values, Count count, int* result);

// bitonic_sort.cu
int parity_sort(Count element, void* values, Count count, Count ascending);
int parity_arg_sort(const int* keys, Count count, int* places);

// bodies.cu
int parity_gravity(const float* bodies, Count count, double softening,
                   float* pulls);

// convolution.cu
int parity_filter_image(const float* image, Count height, Count width,
                        const float* weights, Count radius, float* result);

// cooperative.cu
int parity_power_iteration(const double* matrix, double* vector, Count size,
                           Count steps, double* largest);
int parity_tiles(Count size, const int* values, Count blocks, int* results);
int parity_group_reduce(const float* values, Count blocks, float* sums,
                        float* largest);
int parity_tile_votes(const int* values, Count blocks, unsigned* results);
int parity_coalesced(const int* values, Count blocks, int* ranks, int* sizes);

// edit_distance.cu
int parity_edit_distances(const char* first, const char* second, Count stride,
                          const int* lengths, Count pairs, int* distances);

// elementwise.cu
int parity_axpy(double factor, const float* x, float* y, Count count,
                Count vectors);
int parity_activation(Count which, Count element, const void* from, void* to,
                      Count count);
int parity_half_pairs(const void* a, const void* b, const void* c, void* to,
                      Count pairs);
int parity_complex_product(const void* a, const void* b, void* to, Count count);

// fourier.cu
int parity_fourier(const void* from, void* to, Count rows, Count size,
                   Count inverse);

// functions.cu
int parity_mathematics(Count functions, const double* values, Count count,
                       double* to);
int parity_float_mathematics(Count functions, const float* values, Count count,
                             float* to);
int parity_bits(Count functions, const unsigned* values, Count count,
                unsigned* to);
int parity_reinterpreting(Count functions, const unsigned* values, Count count,
                          unsigned* to);
int parity_counting(Count functions, const unsigned* values, Count count,
                    long long* to);
int parity_rounding(Count functions, const float* values, Count count, int* to);
int parity_narrowing(Count element, const float* values, Count count, void* to,
                     float* back);

// graph_search.cu
int parity_graph_search(const int* starts, const int* targets, Count nodes,
                        Count edges, Count source, int* distances);

// graphs.cu
int parity_recorded_graph(float* values, Count count, Count launches);
int parity_forked_graph(float* values, Count half, Count launches);
int parity_updated_graph(float* values, Count count, const float* factors,
                         Count launches);

// histogram.cu
int parity_byte_histogram(const unsigned char* values, Count count,
                          unsigned* totals);
int parity_float_histogram(const float* values, Count count, double low,
                           double high, Count bins, unsigned long long* totals);
int parity_weighted_histogram(const int* keys, const float* weights,
                              Count count, Count bins, float* totals);

// layernorm.cu
int parity_layernorm(Count element, const void* from, const float* gain,
                     const float* shift, void* to, float* means, float* scales,
                     Count rows, Count columns, double epsilon);
int parity_rmsnorm(const float* from, const float* gain, float* to, Count rows,
                   Count columns, double epsilon);
int parity_layernorm_backward(const float* gradient, const float* from,
                              const float* gain, float* to, float* gain_sums,
                              float* shift_sums, Count rows, Count columns,
                              double epsilon);

// mandelbrot.cu
int parity_mandelbrot(double x, double y, double step, Count width,
                      Count height, Count limit, int* iterations);

// matmul.cu
int parity_matmul(Count element, const void* a, const void* b, void* to,
                  Count m, Count n, Count k, double alpha, double beta);
int parity_register_matmul(const float* a, const float* b, float* to, Count m,
                           Count n, Count k);
int parity_batched_matmul(Count element, const void* a, const void* b,
                          float* to, Count batches, Count m, Count n, Count k);

// memory_kinds.cu
int parity_pitched_rows(int* plane, Count height, Count width, Count added,
                        Count* pitch);
int parity_mapped_memory(const int* values, Count count, int* reversed);
int parity_registered_memory(int* values, Count count, int* reversed);
int parity_managed_memory(const int* values, Count count, int* reversed);
int parity_large_shared_memory(int* values, Count count, Count distance);

// pipeline.cu
int parity_square_roots(const double* values, Count count, Count chunk,
                        double* roots);
int parity_relay(const int* digits, Count count, Count runners,
                 long long* number);
int parity_host_function(long long start, long long* result);
int parity_stream_memory(const double* values, Count count, Count rounds,
                         double* result);

// printing.cu
int parity_print(const double* values, Count count, Count threads);
int parity_print_result(int* result);

// radix_sort.cu
int parity_radix_sort(unsigned* keys, unsigned* values, Count count,
                      Count bits);

// random_numbers.cu
int parity_philox(const unsigned* counters, Count key, Count count,
                  unsigned* numbers);
int parity_circle(Count key, Count points, unsigned long long* inside);

// reduction.cu
int parity_reduce(Count operation, Count element, const void* values,
                  Count count, void* result);
int parity_sum_vectorized(const float* values, Count count, double* result);
int parity_variance(const float* values, Count count, double* result);
int parity_arg_max(const float* values, Count count, int* result);
int parity_segmented_sum(const float* values, Count count, const int* offsets,
                         Count segments, float* sums);

// scan.cu
int parity_scan(Count operation, Count element, Count inclusive,
                const void* values, Count count, void* results);
int parity_scan_single_pass(const int* values, Count count, int* results);
int parity_scan_tree(const float* values, Count count, float* results);
int parity_compact(const float* values, Count count, double limit, float* kept,
                   int* kept_count);

// softmax.cu
int parity_softmax(Count element, const void* from, void* to, Count rows,
                   Count columns, Count logarithm);
int parity_warp_softmax(Count element, const void* from, void* to, Count rows,
                        Count columns);
int parity_causal_softmax(const float* from, float* to, Count size,
                          double scale);

// spmv.cu
int parity_spmv_csr(Count how, Count element, const int* starts,
                    const int* columns, const void* values, Count rows,
                    Count width, Count stored, const void* vector,
                    void* result);
int parity_spmv_coordinates(Count element, const int* rows, const int* columns,
                            const void* values, Count stored, Count height,
                            Count width, const void* vector, void* result);
int parity_spmv_padded(Count element, const int* columns, const void* values,
                       Count rows, Count places, Count width,
                       const void* vector, void* result);

// stencil.cu
int parity_line_stencil(const float* values, Count count, const float* weights,
                        Count radius, float* result);
int parity_jacobi(float* plane, Count height, Count width, Count steps);
int parity_space_stencil(double* space, Count depth, Count height, Count width,
                         double centre, double side, Count steps);
int parity_life(unsigned char* cells, Count height, Count width, Count steps);

// symbols.cu
int parity_twins_here(int* results);
int parity_set_launches(Count number, int* before);
int parity_corners(const float* given, float* sums);
int parity_digits(int* by_kernel, int* by_address, Count* size);

// symbols_elsewhere.cu
int parity_twins_elsewhere(int* results);

// top_k.cu
int parity_top_k(const float* values, Count rows, Count columns, Count k,
                 float* best, int* indices);
int parity_select(const unsigned* values, Count count, Count rank,
                  unsigned* result);

// transpose.cu
int parity_transpose(Count bytes, const void* from, void* to, Count rows,
                     Count columns);
int parity_transpose_square(double* values, Count size);

// votes.cu
int parity_warp_size(int* lanes, int* in_kernel);
int parity_votes(const int* values, Count blocks, unsigned long long* ballots,
                 int* any, int* all, int* before);
int parity_shuffles(Count element, const void* values, const int* sources,
                    Count blocks, void* results);
int parity_narrow_shuffles(const int* values, Count blocks, Count width,
                           int* sums, int* firsts);
int parity_divergence(const int* values, Count blocks,
                      unsigned long long* present, int* sums);
int parity_collatz(const int* starts, Count blocks, int* steps, int* longest);
int parity_warp_reductions(const unsigned* values, Count blocks,
                           unsigned* results);

}  // extern "C"
