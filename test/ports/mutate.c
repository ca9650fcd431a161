/*
 * Feeds mutants of files to ports/c/gicollide.h: mutate SEED COUNT [--list] FILE...
 *
 * Mutant i of a seed is always the same. Most have a checksum that is right, so that what is read is
 * what was changed. Each lies in a block of its own size, so that a sanitiser sees every read beside
 * it. All of what is taken for sound is asked for, and so is all that can be reached of what
 * gic_open alone has taken.
 *
 * Prints how many mutants ended by each code. With --list it prints each of them instead: four bytes
 * of length, little-endian, a byte that is 1 where it was taken for sound, and the mutant.
 */
#define GICOLLIDE_IMPLEMENTATION
#include "../../ports/c/gicollide.h"

#include <stdio.h>
#include <stdlib.h>

/** Files are small here; their mutants at most this much larger. */
#define MOST_FILES 64
#define MOST_GROWTH 128

static uint64_t state;

/** S. Vigna's splitmix64. */
static uint64_t next_random(void) {
  uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static size_t below(size_t most) { return (size_t)(next_random() % most); }

static void put_u32(unsigned char *p, uint32_t value) {
  int i;
  for (i = 0; i < 4; i++) p[i] = (unsigned char)(value >> (8 * i));
}

static void change_word(unsigned char *p, size_t size) {
  static const uint32_t words[] = {0, 1, 2, 3, 255, 65535, 0x7f800000, 0x7fc00000, 0x80000000, 0x7fffffff, 0xffffffff};
  const size_t at = below(size - 4);
  const uint32_t old = gic_u32(p + at);
  const size_t how = below(3);
  put_u32(p + at, how == 0 ? words[below(11)] : how == 1 ? old + (uint32_t)below(9) - 4 : old ^ 1u << below(32));
}

static void change_text(unsigned char *p, size_t start, size_t length) {
  static const char characters[] = "\"\\{}[],:0123456789.-+eEu tfn\n\x7f\xc3\xa9\xed\xa0\x80";
  if (length == 0) return;
  if (below(4) > 0) p[start + below(length)] = (unsigned char)characters[below(sizeof characters)];
  else memmove(p + start + below(length), p + start + below(length), below(length) / 8); /* to the block's end at most */
}

/** Longer or shorter by some bytes, and so the number that says how long. */
static size_t change_size(unsigned char *p, size_t size) {
  const size_t changed = below(2) ? size + below(MOST_GROWTH) : size - below(size < 96 ? size : 96);
  if (changed > size) memset(p + size, (int)below(2), changed - size);
  if (changed >= 32) put_u32(p + 24, (uint32_t)changed);
  return changed;
}

/** Changes one thing; returns how long the file is then. */
static size_t change(unsigned char *p, size_t size) {
  const size_t sections = gic_u32(p + 16) % 8, table = 32 + 32 * sections;
  const size_t json = table < size ? gic_u32(p + 20) % (size - table) : 0;
  const size_t how = below(16);
  if (size < 64 || how == 0) return change_size(p, size);
  if (how < 3) change_word(p, table < size ? table : size);
  else if (how < 7) change_text(p, table, json);
  else if (how < 9) p[below(size)] = (unsigned char)next_random();
  else if (table + json + 36 < size) change_word(p + table + json, size - table - json - 32);
  return size;
}

static void repair(unsigned char *p, size_t size) {
  const size_t bytes = size >= 16 && gic_u32(p + 12) == 2 ? 4 : 32;
  if (size >= bytes) gic_sum(p, size - bytes, bytes, p + size - bytes);
}

/** Something that depends on all that a reader gives, so that no compiler leaves it out. */
static double sum;

static void read_item(const gic_file *file, const gic_item *item) {
  double corners[9];
  gic_box box;
  int i;
  if (item->triangle != GIC_NONE) {
    gic_triangle(file, item->triangle, corners);
    for (i = 0; i < 9; i++) sum += corners[i];
  }
  if (file->kind == GIC_OBB && gic_item_box(file, item, &box)) sum += gic_box_holds(&box, box.centre);
}

/** Walks for so many steps; a stack that is full loses items, which no tree that was checked does. */
static void walk(const gic_file *file, uint32_t steps, int is_checked) {
  gic_item stack[GIC_STACK + 4];
  size_t top = 1;
  stack[0] = gic_root(file);
  while (top > 0 && steps-- > 0) {
    const gic_item item = stack[--top];
    read_item(file, &item);
    top += (size_t)gic_children(file, &item, stack + top);
    if (top > GIC_STACK && is_checked) abort();
    if (top > GIC_STACK) top = GIC_STACK;
  }
  if (top > 0 && is_checked) abort();
}

static void read_all(const gic_file *file) {
  uint32_t i, bit;
  double d[3];
  for (i = 0; i < file->bricks; i++) {
    gic_brick brick;
    int32_t cell[3];
    gic_brick_at(file, i, &brick);
    for (bit = 0; bit < 64; bit++) {
      gic_cell(&brick, bit, cell);
      sum += gic_cell_start(file, cell[bit % 3]);
    }
  }
  for (i = 0; file->kind == GIC_KDOP && i < file->k * file->nodes; i++) {
    gic_direction(file, i % file->k, d);
    sum += d[0] * (double)gic_coefficient(file, i / file->k, i % file->k);
  }
}

/** The code that a mutant ends by. */
static gic_code take(const unsigned char *bytes, size_t size) {
  gic_file file;
  gic_error error;
  void *scratch;
  int is_tree;
  if (!gic_open(bytes, size, &file, &error)) return error.code;
  read_all(&file);
  if (file.kind != GIC_CUBES) walk(&file, 2000, 0);
  scratch = malloc((size_t)gic_scratch_bytes(&file));
  is_tree = gic_check(&file, scratch, (size_t)gic_scratch_bytes(&file), &error);
  free(scratch);
  if (is_tree && file.kind != GIC_CUBES) walk(&file, 2 * file.nodes + 2 * file.triangles, 1);
  return error.code;
}

static unsigned char *files[MOST_FILES];
static size_t sizes[MOST_FILES];

static int load(const char *path, int at) {
  FILE *stream = fopen(path, "rb");
  if (!stream) return 0;
  files[at] = (unsigned char *)malloc(1 << 20);
  sizes[at] = fread(files[at], 1, 1 << 20, stream);
  fclose(stream);
  return sizes[at] >= 64;
}

/** A mutant of a file, in a block of its size. */
static unsigned char *mutant_of(const unsigned char *file, size_t *size) {
  unsigned char *bytes = (unsigned char *)calloc(2, *size + 4 * MOST_GROWTH);
  size_t changes = 1 + below(3);
  memcpy(bytes, file, *size);
  while (changes-- > 0) *size = change(bytes, *size);
  if (below(16) > 0) repair(bytes, *size);
  return (unsigned char *)realloc(bytes, *size ? *size : 1);
}

int main(int count, char **arguments) {
  static const char *const names[] = {"sound",  "cut short", "foreign", "version", "layout", "checksum",
                                      "header", "section",   "number",  "tree",    "memory"};
  const int is_list = count > 3 && strcmp(arguments[3], "--list") == 0, from = is_list ? 4 : 3;
  long counts[11] = {0}, i, most;
  int file;
  if (count <= from || count - from > MOST_FILES) return 2;
  most = atol(arguments[2]);
  for (file = from; file < count; file++)
    if (!load(arguments[file], file - from)) return 2;
  for (i = 0; i < most; i++) {
    size_t which, size;
    unsigned char *bytes, head[5];
    gic_code code;
    state = (uint64_t)atol(arguments[1]) * 1000000007u + (uint64_t)i;
    which = below((size_t)(count - from));
    size = sizes[which];
    bytes = mutant_of(files[which], &size);
    code = take(bytes, size);
    counts[code]++;
    put_u32(head, (uint32_t)size);
    head[4] = code == GIC_OK;
    if (is_list) {
      fwrite(head, 1, 5, stdout);
      fwrite(bytes, 1, size, stdout);
    }
    free(bytes);
  }
  for (file = from; file < count; file++) free(files[file - from]);
  for (file = 0; file < 11 && !is_list; file++) printf("%s %ld\n", names[file], counts[file]);
  return sum == 0.5 ? 3 : 0;
}
