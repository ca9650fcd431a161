/*
 * Reads the OBB trees (.obb), k-DOP trees (.kdop) and cubes (.voxel) that gicollide writes: one
 * header in C99, also C++11, that allocates nothing and does no input or output.
 *
 * Exactly one source file of a program says
 *
 *     #define GICOLLIDE_IMPLEMENTATION
 *     #include "gicollide.h"
 *
 * and the others include it alone. It needs sqrt and ldexp (-lm). The formats are described in
 * src/representations/{obb,kdop,voxel}/FORMAT.md of gicollide, and this reader was written from
 * these pages. It knows version 1 of each, and version 2 of the two kinds of trees.
 *
 * - Files are little-endian, hosts need not be; bytes need not be aligned, and are never written.
 * - gic_open checks all but the shape of the tree, in time linear in the file. No function then
 *   reads beyond the bytes, whatever they are. They must stay as they are while a gic_file is used.
 * - gic_check proves that the nodes are one tree, in gic_scratch_bytes of memory. In a file from
 *   strangers that it has not seen, a walk may meet a node again and again.
 * - Boxes are decoded by the operations that FORMAT.md lists, each rounded to nearest. Fast-math
 *   options and x87 arithmetic would make boxes smaller than they were proved: they are refused.
 *
 * MIT licence, as gicollide.
 */
#ifndef GICOLLIDE_H
#define GICOLLIDE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What is wrong with a file, or with a call. */
typedef enum gic_code {
  GIC_OK,
  GIC_CUT_SHORT, /* fewer bytes than the file says, or more */
  GIC_FOREIGN,   /* another magic or a kind that this reader does not know */
  GIC_VERSION,   /* a version that this reader does not know */
  GIC_LAYOUT,    /* the section table */
  GIC_CHECKSUM,  /* a byte is another than was written */
  GIC_HEADER,    /* the JSON */
  GIC_SECTION,   /* a section is missing, or of another type or length */
  GIC_NUMBER,    /* a number in a section that cannot stand there */
  GIC_TREE,      /* the nodes are no tree over all triangles */
  GIC_MEMORY     /* gic_check was given less than gic_scratch_bytes */
} gic_code;

typedef struct gic_error {
  gic_code code;
  uint64_t offset;      /* byte of the file */
  const char *expected; /* what should stand there: "expected %s", a string that lives for ever */
} gic_error;

typedef enum gic_kind { GIC_OBB, GIC_KDOP, GIC_CUBES } gic_kind;

/** An array in the file. */
typedef struct gic_section {
  uint64_t offset; /* byte of its first element */
  uint64_t count;  /* elements */
  uint32_t size;   /* bytes of an element */
} gic_section;

/** An open file: plain numbers, to be copied at will. Model units are those of the mesh file. */
typedef struct gic_file {
  const unsigned char *bytes;
  uint64_t size;
  gic_kind kind;
  uint32_t version;
  uint64_t json, json_size; /* the header's text: byte and length, UTF-8, no NUL after it */

  /* OBB and k-DOP trees */
  uint32_t triangles, vertices, nodes;
  double origin[3];    /* model units */
  uint32_t node_bytes; /* of an OBB tree: 40, 20 or 64; else 0 */
  double scale[2];     /* of nodes of 20 bytes: model units of a step of centres, of half extents */
  uint32_t k, bits;    /* of a k-DOP tree: directions, bits of a coefficient */
  double quantum;      /* of a k-DOP tree: model units of one step of a coefficient */

  /* cubes */
  double precision; /* edge of a cube, model units */
  uint32_t bricks, cubes;

  gic_section positions, corners, node_section, order; /* `corners` is the section "triangles" */
  gic_section coefficients, links, keys, masks;
} gic_file;

/**
 * Opens a file in memory: container, checksum, header, and every number in it.
 *
 * @return 1, or 0 with `error` filled; `error` may be NULL
 */
int gic_open(const void *bytes, size_t size, gic_file *file, gic_error *error);

/** Bytes of memory that gic_check needs; 0 for cubes. */
uint64_t gic_scratch_bytes(const gic_file *file);

/**
 * Whether every node and every triangle is reached once from the root, and nothing lies too deep
 * for a stack of GIC_STACK items. Cubes always pass: gic_open has looked at all of them.
 *
 * @param scratch of any alignment; its contents are overwritten
 */
int gic_check(const gic_file *file, void *scratch, size_t scratch_bytes, gic_error *error);

/** x, y, z of a vertex, model units; vertex < file->vertices. */
void gic_vertex(const gic_file *file, uint32_t vertex, double out[3]);
/** The three vertex numbers of a triangle, which has the number that it has in the mesh file. */
void gic_corners(const gic_file *file, uint32_t triangle, uint32_t out[3]);
/** x, y, z of its three corners. */
void gic_triangle(const gic_file *file, uint32_t triangle, double out[9]);

#define GIC_NONE UINT32_MAX
/** Items that a walk, depth first, holds at most: pop one, push its children. */
#define GIC_STACK 257

/** What a walk stands on: a node, a triangle, or a leaf that is both. */
typedef struct gic_item {
  uint32_t node;         /* or GIC_NONE */
  uint32_t triangle;     /* or GIC_NONE: then it has children */
  uint32_t first, count; /* with nodes of 20 bytes: what it covers of the order of triangles */
  uint32_t parent, slot; /* with nodes of 64 bytes: whose child it is, and which; else GIC_NONE */
} gic_item;

/** The item that all of a tree is below. */
gic_item gic_root(const gic_file *file);
/** Writes an item's children; returns how many: 2, or 1 to 4 with nodes of 64 bytes, 0 of a triangle. */
int gic_children(const gic_file *file, const gic_item *item, gic_item out[4]);

/**
 * A box: all points x with low[i] <= u[i] <= high[i], where u is R^T ((x - origin) - centre). The
 * columns of R are the axes; its entries stand row by row.
 */
typedef struct gic_box {
  double rotation[9], origin[3], centre[3], low[3], high[3];
} gic_box;

/**
 * The box of an item of an OBB tree, which holds every triangle below. Nodes of 64 bytes have a box
 * for each child in its parent, too; it is the one of an item that is no node.
 *
 * @return 0 where the file stores none: of triangles with nodes of 20 bytes
 */
int gic_item_box(const gic_file *file, const gic_item *item, gic_box *out);
/** The box of a node of an OBB tree. */
void gic_node_box(const gic_file *file, uint32_t node, gic_box *out);
/** The box that a node of 64 bytes has for one of its children; slot < 4. */
void gic_slot_box(const gic_file *file, uint32_t node, uint32_t slot, gic_box *out);
/**
 * Whether a point is in a box, in doubles and without a tolerance: FORMAT.md says why the corners of
 * every triangle below are. Says nothing of points beside a box that are near it.
 */
int gic_box_holds(const gic_box *box, const double point[3]);

/** Direction i of a k-DOP tree, i < file->k; a unit vector. */
void gic_direction(const gic_file *file, uint32_t i, double out[3]);
/** Coefficient i of a node: direction . (x - origin) <= coefficient * quantum for all x below it. */
int64_t gic_coefficient(const gic_file *file, uint32_t node, uint32_t i);

/** 4 x 4 x 4 cells of the grid; bit n of the mask is cell n of gic_cell. */
typedef struct gic_brick {
  int32_t x, y, z; /* of the brick, in bricks */
  uint64_t mask;
} gic_brick;

/** Brick `index` of a file of cubes, index < file->bricks. */
void gic_brick_at(const gic_file *file, uint32_t index, gic_brick *out);
/** x, y, z of the cell of a bit, in cells; bit < 64. */
void gic_cell(const gic_brick *brick, uint32_t bit, int32_t out[3]);
/** The least coordinate in cells of number k along an axis; those of cell k end before that of k + 1. */
double gic_cell_start(const gic_file *file, int32_t k);

#ifdef __cplusplus
}
#endif

#ifdef GICOLLIDE_IMPLEMENTATION

#include <float.h>
#include <math.h>
#include <string.h>

#if defined(__FAST_MATH__) || (defined(FLT_EVAL_METHOD) && (FLT_EVAL_METHOD < 0 || FLT_EVAL_METHOD == 2))
#error "gicollide.h: boxes need arithmetic that is rounded as it is written: no -ffast-math, no x87"
#endif

/* A fused product and sum is rounded once where FORMAT.md rounds twice. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC optimize("fp-contract=off")
#elif defined(_MSC_VER)
#pragma fp_contract(off)
#endif

static int gic_fail(gic_error *error, gic_code code, uint64_t offset, const char *expected) {
  if (error) {
    error->code = code;
    error->offset = offset;
    error->expected = expected;
  }
  return 0;
}

/* ---- Numbers of little-endian bytes ---- */

static uint32_t gic_u16(const unsigned char *p) { return (uint32_t)p[0] | (uint32_t)p[1] << 8; }
static uint32_t gic_u32(const unsigned char *p) { return gic_u16(p) | gic_u16(p + 2) << 16; }
static uint64_t gic_u64(const unsigned char *p) { return gic_u32(p) | (uint64_t)gic_u32(p + 4) << 32; }
static int32_t gic_i16(const unsigned char *p) { return (int32_t)(gic_u16(p) ^ 0x8000u) - 0x8000; }

static float gic_float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static double gic_f32(const unsigned char *p) { return gic_float_of(gic_u32(p)); }

static double gic_f64(const unsigned char *p) {
  const uint64_t bits = gic_u64(p);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/** Where element `index` of a section starts. */
static const unsigned char *gic_at(const gic_file *file, const gic_section *section, uint64_t index) {
  return file->bytes + section->offset + index * section->size;
}

/* ---- The checksum: SHA-256, FIPS 180-4 ---- */

static const uint32_t gic_sha_words[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t gic_turn(uint32_t x, int by) { return x >> by | x << (32 - by); }

static void gic_sha_block(uint32_t state[8], const unsigned char *p) {
  uint32_t w[64], s[8], i;
  for (i = 0; i < 16; i++)
    w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 | (uint32_t)p[4 * i + 2] << 8 | p[4 * i + 3];
  for (i = 16; i < 64; i++)
    w[i] = w[i - 16] + w[i - 7] + (gic_turn(w[i - 15], 7) ^ gic_turn(w[i - 15], 18) ^ w[i - 15] >> 3) +
           (gic_turn(w[i - 2], 17) ^ gic_turn(w[i - 2], 19) ^ w[i - 2] >> 10);
  memcpy(s, state, sizeof s);
  for (i = 0; i < 64; i++) {
    const uint32_t e = gic_turn(s[4], 6) ^ gic_turn(s[4], 11) ^ gic_turn(s[4], 25);
    const uint32_t a = gic_turn(s[0], 2) ^ gic_turn(s[0], 13) ^ gic_turn(s[0], 22);
    const uint32_t one = s[7] + e + ((s[4] & s[5]) ^ (~s[4] & s[6])) + gic_sha_words[i] + w[i];
    const uint32_t two = a + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    memmove(s + 1, s, 7 * sizeof s[0]);
    s[4] += one;
    s[0] = one + two;
  }
  for (i = 0; i < 8; i++) state[i] += s[i];
}

static void gic_sha256(const unsigned char *p, uint64_t size, unsigned char out[32]) {
  uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  unsigned char tail[128];
  const uint64_t whole = size - size % 64;
  const uint32_t rest = (uint32_t)(size % 64), last = rest < 56 ? 64 : 128;
  uint64_t at;
  uint32_t i;
  for (at = 0; at < whole; at += 64) gic_sha_block(state, p + at);
  memset(tail, 0, sizeof tail);
  memcpy(tail, p + whole, rest);
  tail[rest] = 0x80;
  for (i = 0; i < 8; i++) tail[last - 1 - i] = (unsigned char)((size * 8) >> (8 * i));
  for (i = 0; i < last; i += 64) gic_sha_block(state, tail + i);
  for (i = 0; i < 32; i++) out[i] = (unsigned char)(state[i / 4] >> (24 - 8 * (i % 4)));
}

/* ---- The checksum of version 2: CRC-32, as of zlib ---- */

static uint32_t gic_crc_bytes(uint32_t sum, const unsigned char *p, uint64_t size) {
  static const uint32_t nibbles[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                       0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                       0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
  uint64_t i;
  for (i = 0; i < size; i++) {
    sum = sum >> 4 ^ nibbles[(sum ^ p[i]) & 15];
    sum = sum >> 4 ^ nibbles[(sum ^ p[i] >> 4) & 15];
  }
  return sum;
}

/**
 * All but the last 300 words of 64 bits are folded into those behind them: y^300 + y^155 + y^117 +
 * y^89 + 1 for y = x^64 is a multiple of the generator (src/containers/crc32.ts says why).
 */
static uint32_t gic_crc32(const unsigned char *p, uint64_t size) {
  static const unsigned char ones[8] = {255, 255, 255, 255, 0, 0, 0, 0};
  uint64_t folded[512], word, first, i, words = size / 8;
  uint32_t sum = 0xffffffff;
  if (words <= 300) return ~gic_crc_bytes(sum, p, size);
  memset(folded, 0, sizeof folded);
  memcpy(&first, ones, 8);
  sum = 0;
  for (i = 0; i < words; i++) {
    memcpy(&word, p + 8 * i, 8);
    if (i == 0) word ^= first;
    word ^= folded[(i - 145) & 511] ^ folded[(i - 183) & 511] ^ folded[(i - 211) & 511] ^ folded[(i - 300) & 511];
    folded[i & 511] = i + 300 < words ? word : 0;
    if (i + 300 >= words) sum = gic_crc_bytes(sum, (const unsigned char *)&word, 8);
  }
  return ~gic_crc_bytes(sum, p + 8 * words, size % 8);
}

/* ---- Decimals, rounded to nearest in any locale ---- */

/** Significant digits that are looked at; beyond 768 only whether they are zeros matters. */
#define GIC_DIGITS 780
/** Of 32 bits: 10^1110, the largest power that a decimal of so many digits is over, and 64 bits. */
#define GIC_LIMBS 120

/** A whole number, lowest limb first. */
typedef struct gic_big {
  uint32_t limb[GIC_LIMBS];
} gic_big;

static void gic_big_times(gic_big *a, uint32_t factor, uint32_t plus) {
  uint64_t carry = plus;
  int i;
  for (i = 0; i < GIC_LIMBS; i++) {
    carry += (uint64_t)a->limb[i] * factor;
    a->limb[i] = (uint32_t)carry;
    carry >>= 32;
  }
}

static int gic_big_compare(const gic_big *a, const gic_big *b) {
  int i;
  for (i = GIC_LIMBS - 1; i >= 0; i--)
    if (a->limb[i] != b->limb[i]) return a->limb[i] < b->limb[i] ? -1 : 1;
  return 0;
}

static void gic_big_subtract(gic_big *a, const gic_big *b) {
  uint64_t borrow = 0;
  int i;
  for (i = 0; i < GIC_LIMBS; i++) {
    const uint64_t difference = (uint64_t)a->limb[i] - b->limb[i] - borrow;
    a->limb[i] = (uint32_t)difference;
    borrow = difference >> 63;
  }
}

/** The double nearest to n / d, ties to even; n is above 0. Both are overwritten. */
static double gic_quotient(gic_big *n, gic_big *d) {
  uint64_t mantissa = 0;
  int exponent = 0, bits, i;
  for (; gic_big_compare(n, d) < 0; exponent--) gic_big_times(n, 2, 0);
  for (; gic_big_compare(n, d) >= 0; exponent++) gic_big_times(d, 2, 0);
  /* n / d is from 1/2 to 1, and what is sought n / d * 2^exponent, in steps of 2^-1074 at least. */
  bits = exponent + 1074 < 53 ? exponent + 1074 : 53;
  if (bits < 0) return 0;
  for (i = 0; i < bits; i++) {
    gic_big_times(n, 2, 0);
    mantissa *= 2;
    if (gic_big_compare(n, d) < 0) continue;
    gic_big_subtract(n, d);
    mantissa++;
  }
  gic_big_times(n, 2, 0);
  i = gic_big_compare(n, d);
  if (i > 0 || (i == 0 && mantissa % 2 == 1)) mantissa++;
  return ldexp((double)mantissa, exponent - bits);
}

/** The double of a JSON number that is one. */
static double gic_decimal(const unsigned char *p, const unsigned char *end) {
  gic_big n, d;
  int64_t power = 0, exponent = 0;
  int digits = 0, is_fraction = 0;
  const int is_negative = *p == '-';
  double value;
  memset(&n, 0, sizeof n);
  memset(&d, 0, sizeof d);
  d.limb[0] = 1;
  for (p += is_negative; p < end && *p != 'e' && *p != 'E'; p++) {
    if (*p == '.') {
      is_fraction = 1;
      continue;
    }
    power -= is_fraction;
    if (digits == 0 && *p == '0') continue;
    if (digits < GIC_DIGITS) gic_big_times(&n, 10, (uint32_t)(*p - '0'));
    else {
      power++;
      /* No double, and no middle between two, is odd in units so small: so the side is right. */
      if (*p != '0') n.limb[0] |= 1;
    }
    digits += digits < GIC_DIGITS;
  }
  if (p < end) {
    const int sign = p[1] == '-' ? -1 : 1;
    for (p += 1 + (p[1] == '-' || p[1] == '+'); p < end; p++)
      if (exponent < 1000000000) exponent = 10 * exponent + (*p - '0');
    power += sign * exponent;
  }
  if (digits == 0 || power + digits < -330) value = 0;
  else if (power + digits > 310) value = HUGE_VAL;
  else {
    for (; power > 0; power--) gic_big_times(&n, 10, 0);
    for (; power < 0; power++) gic_big_times(&d, 10, 0);
    value = gic_quotient(&n, &d);
  }
  return is_negative ? -value : value;
}

/* ---- JSON, as RFC 8259 has it; places are offsets in the text, 0 is for what is wrong ---- */

#define GIC_MOST_DEPTH 64

typedef struct gic_json {
  const unsigned char *text;
  size_t size;
} gic_json;

/** The byte at a place; 0, which JSON has nowhere, at the end. */
static int gic_json_peek(const gic_json *json, size_t at) { return at < json->size ? json->text[at] : 0; }

static size_t gic_json_space(const gic_json *json, size_t at) {
  int c = gic_json_peek(json, at);
  while (c == ' ' || c == '\t' || c == '\n' || c == '\r') c = gic_json_peek(json, ++at);
  return at;
}

static int gic_is_digit(int c) { return c >= '0' && c <= '9'; }

static int gic_hex(int c) {
  if (gic_is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/** The end of a character of UTF-8 of several bytes. */
static size_t gic_json_wide(const gic_json *json, size_t at) {
  const int c = gic_json_peek(json, at);
  const int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
  uint32_t point = (uint32_t)(c & (0x3f >> more));
  int i;
  if (c < 0xc2 || c > 0xf4) return 0;
  for (i = 1; i <= more; i++) {
    const int next = gic_json_peek(json, at + (size_t)i);
    if ((next & 0xc0) != 0x80) return 0;
    point = point << 6 | (uint32_t)(next & 0x3f);
  }
  if (more == 2 && (point < 0x800 || (point >= 0xd800 && point < 0xe000))) return 0;
  if (more == 3 && (point < 0x10000 || point > 0x10ffff)) return 0;
  return at + (size_t)more + 1;
}

/** Behind the character of a string at a place; `*code` is it, where it is ASCII. */
static size_t gic_json_char(const gic_json *json, size_t at, uint32_t *code) {
  static const char escapes[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
  const int c = gic_json_peek(json, at);
  size_t i;
  *code = (uint32_t)c;
  if (c < 0x20) return 0;
  if (c >= 0x80) return gic_json_wide(json, at);
  if (c != '\\') return at + 1;
  if (gic_json_peek(json, at + 1) == 'u') {
    *code = 0;
    for (i = at + 2; i < at + 6; i++) {
      const int digit = gic_hex(gic_json_peek(json, i));
      if (digit < 0) return 0;
      *code = *code << 4 | (uint32_t)digit;
    }
    return at + 6;
  }
  for (i = 0; escapes[i]; i += 2) {
    if (gic_json_peek(json, at + 1) != escapes[i]) continue;
    *code = (uint32_t)escapes[i + 1];
    return at + 2;
  }
  return 0;
}

/** The end of the string at a place; `*is_same` is whether it is this one, of ASCII. */
static size_t gic_json_string(const gic_json *json, size_t at, const char *same, int *is_same) {
  uint32_t code;
  *is_same = 1;
  if (gic_json_peek(json, at) != '"') return 0;
  for (at++; gic_json_peek(json, at) != '"';) {
    at = gic_json_char(json, at, &code);
    if (at == 0) return 0;
    if (*same == 0 || code != (unsigned char)*same) *is_same = 0;
    else same++;
  }
  *is_same = *is_same && *same == 0;
  return at + 1;
}

static size_t gic_json_digits(const gic_json *json, size_t at) {
  if (!gic_is_digit(gic_json_peek(json, at))) return 0;
  while (gic_is_digit(gic_json_peek(json, at))) at++;
  return at;
}

static size_t gic_json_number(const gic_json *json, size_t at) {
  if (gic_json_peek(json, at) == '-') at++;
  at = gic_json_peek(json, at) == '0' ? at + 1 : gic_json_digits(json, at);
  if (at && gic_json_peek(json, at) == '.') at = gic_json_digits(json, at + 1);
  if (at && (gic_json_peek(json, at) | 0x20) == 'e') {
    const int sign = gic_json_peek(json, at + 1);
    at = gic_json_digits(json, at + (sign == '+' || sign == '-' ? 2 : 1));
  }
  return at;
}

/** The end of a value that is no object and no array. */
static size_t gic_json_scalar(const gic_json *json, size_t at) {
  static const char *const words[] = {"true", "false", "null"};
  const int c = gic_json_peek(json, at);
  int i, is_same;
  if (c == '"') return gic_json_string(json, at, "", &is_same);
  if (c == '-' || gic_is_digit(c)) return gic_json_number(json, at);
  for (i = 0; i < 3; i++) {
    const size_t length = strlen(words[i]);
    if (json->size - at >= length && memcmp(json->text + at, words[i], length) == 0) return at + length;
  }
  return 0;
}

/** Where the value of the member starts whose name is at a place. */
static size_t gic_json_name(const gic_json *json, size_t at) {
  int is_same;
  at = gic_json_string(json, at, "", &is_same);
  if (at == 0) return 0;
  at = gic_json_space(json, at);
  return gic_json_peek(json, at) == ':' ? gic_json_space(json, at + 1) : 0;
}

/**
 * Behind the first place at which a value may end, from where one starts: its brackets stay open,
 * but for those that close at once. Bit d of `*objects` says whether bracket d is an object's.
 */
static size_t gic_json_open(const gic_json *json, size_t at, uint64_t *objects, int *depth) {
  for (;;) {
    const int c = gic_json_peek(json, at);
    if (c != '{' && c != '[') return gic_json_scalar(json, at);
    if (*depth == GIC_MOST_DEPTH) return 0;
    at = gic_json_space(json, at + 1);
    if (gic_json_peek(json, at) == (c == '{' ? '}' : ']')) return at + 1;
    *objects = c == '{' ? *objects | (uint64_t)1 << *depth : *objects & ~((uint64_t)1 << *depth);
    ++*depth;
    if (c == '{') at = gic_json_name(json, at);
    if (at == 0) return 0;
  }
}

/** Whether the text is one object, of no more levels than a file's header has. */
static int gic_json_is_object(const gic_json *json) {
  uint64_t objects = 0;
  int depth = 0;
  size_t at = gic_json_space(json, 0);
  if (gic_json_peek(json, at) != '{') return 0;
  at = gic_json_open(json, at, &objects, &depth);
  while (at && depth > 0) {
    const int is_object = (int)(objects >> (depth - 1) & 1);
    int c;
    at = gic_json_space(json, at);
    c = gic_json_peek(json, at);
    if (c == (is_object ? '}' : ']')) {
      depth--;
      at++;
    } else if (c == ',') {
      at = gic_json_space(json, at + 1);
      if (is_object) at = gic_json_name(json, at);
      if (at) at = gic_json_open(json, at, &objects, &depth);
    } else {
      return 0;
    }
  }
  return at && gic_json_space(json, at) == json->size;
}

/** The end of a value in text that has been found to be JSON. */
static size_t gic_json_end(const gic_json *json, size_t at) {
  int depth = 0;
  for (;;) {
    const int c = gic_json_peek(json, at);
    if (c == '{' || c == '[') depth++;
    if (c == '}' || c == ']') depth--;
    at = c == '"' || gic_is_digit(c) || c == '-' || (c >= 'a' && c <= 'z') ? gic_json_scalar(json, at) : at + 1;
    if (depth == 0) return at;
  }
}

/** Where the value of an object's member starts, of the last one of that name; 0 without. */
static size_t gic_json_member(const gic_json *json, size_t object, const char *name) {
  size_t found = 0, at = object;
  if (gic_json_peek(json, at) != '{') return 0;
  for (;;) {
    int is_same;
    at = gic_json_space(json, at + 1);
    if (gic_json_peek(json, at) == '}') return found; /* an empty object */
    at = gic_json_space(json, gic_json_string(json, at, name, &is_same));
    at = gic_json_space(json, at + 1);
    if (is_same) found = at;
    at = gic_json_space(json, gic_json_end(json, at));
    if (gic_json_peek(json, at) == '}') return found;
  }
}

/** Reads the number at a place; 0 where there is another value. */
static int gic_json_double(const gic_json *json, size_t at, double *out) {
  const int c = gic_json_peek(json, at);
  if (at == 0 || (c != '-' && !gic_is_digit(c))) return 0;
  *out = gic_decimal(json->text + at, json->text + gic_json_number(json, at));
  return 1;
}

/** Reads an array of so many numbers, neither less than `least` nor more than `most`. */
static int gic_json_doubles(const gic_json *json, size_t at, int count, double least, double most, double *out) {
  int i;
  if (at == 0 || gic_json_peek(json, at) != '[') return 0;
  for (i = 0; i < count; i++) {
    at = gic_json_space(json, at + 1);
    if (!gic_json_double(json, at, out + i) || !(out[i] >= least && out[i] <= most)) return 0;
    at = gic_json_space(json, gic_json_number(json, at));
    if (gic_json_peek(json, at) != (i + 1 < count ? ',' : ']')) return 0;
  }
  return 1;
}

/* ---- The container ---- */

static int gic_read_start(gic_file *file, gic_error *error) {
  static const struct {
    char name[5];
    gic_kind kind;
  } kinds[] = {{"obb", GIC_OBB}, {"kdop", GIC_KDOP}, {"voxl", GIC_CUBES}};
  const unsigned char *p = file->bytes;
  int i;
  if (file->size < 8 || memcmp(p, "gicollid", 8) != 0) return gic_fail(error, GIC_FOREIGN, 0, "\"gicollid\"");
  if (file->size < 32) return gic_fail(error, GIC_CUT_SHORT, file->size, "32 bytes");
  for (i = 0; i < 3 && memcmp(p + 8, kinds[i].name, 4) != 0; i++) continue;
  if (i == 3) return gic_fail(error, GIC_FOREIGN, 8, "kind obb, kdop or voxl");
  file->kind = kinds[i].kind;
  file->version = gic_u32(p + 12);
  if (file->version < 1 || file->version > (file->kind == GIC_CUBES ? 1 : 2))
    return gic_fail(error, GIC_VERSION, 12, "version 1, or 2 of a tree, which this reader knows");
  if (gic_u64(p + 24) > 0x7fffffff) return gic_fail(error, GIC_LAYOUT, 24, "at most 2^31 - 1 bytes");
  if (gic_u64(p + 24) > file->size) return gic_fail(error, GIC_CUT_SHORT, file->size, "more bytes");
  if (gic_u64(p + 24) < file->size) return gic_fail(error, GIC_CUT_SHORT, gic_u64(p + 24), "the end");
  return 1;
}

/** Bytes of the checksum: a CRC-32 since version 2, a SHA-256 before. */
static uint64_t gic_sum_bytes(const gic_file *file) { return file->version < 2 ? 32 : 4; }

/** Bytes of an element of the type that a section's entry names; 0 of an unknown type. */
static uint32_t gic_type_size(const unsigned char *entry) {
  static const char types[] = "u8\0\0i16\0u16\0u32\0i32\0f32\0f64";
  static const unsigned char sizes[] = {1, 2, 2, 4, 4, 4, 8};
  int i;
  for (i = 0; i < 7; i++)
    if (memcmp(entry + 12, types + 4 * i, 4) == 0) return sizes[i];
  return 0;
}

/** Whether a name is 1 to 12 of a-z, 0-9 and -, NULs after it. */
static int gic_is_name(const unsigned char *p) {
  int i = 0;
  while (i < 12 && ((p[i] >= 'a' && p[i] <= 'z') || gic_is_digit(p[i]) || p[i] == '-')) i++;
  if (i == 0) return 0;
  while (i < 12 && p[i] == 0) i++;
  return i == 12;
}

/** Section `index`: its entry, and that it starts where the one before, or the JSON, has it. */
static int gic_read_entry(const gic_file *file, uint32_t index, uint64_t *end, gic_error *error) {
  const uint64_t at = 32 + 32 * (uint64_t)index, limit = file->size - gic_sum_bytes(file);
  const unsigned char *entry = file->bytes + at;
  const uint32_t size = gic_type_size(entry);
  const uint64_t offset = (*end + 63) / 64 * 64, count = gic_u64(entry + 24);
  uint32_t i;
  if (!gic_is_name(entry)) return gic_fail(error, GIC_LAYOUT, at, "a name of a-z, 0-9 and -");
  for (i = 0; i < index; i++)
    if (memcmp(entry, file->bytes + 32 + 32 * i, 12) == 0)
      return gic_fail(error, GIC_LAYOUT, at, "one section of each name");
  if (size == 0) return gic_fail(error, GIC_LAYOUT, at + 12, "u8, i16, u16, u32, i32, f32 or f64");
  if (gic_u64(entry + 16) != offset) return gic_fail(error, GIC_LAYOUT, at + 16, "the next multiple of 64");
  if (offset > limit || count > (limit - offset) / size)
    return gic_fail(error, GIC_LAYOUT, at + 24, "elements that end before the checksum");
  for (; *end < offset; ++*end)
    if (file->bytes[*end] != 0) return gic_fail(error, GIC_LAYOUT, *end, "zeros before a section");
  *end = offset + count * size;
  return 1;
}

static int gic_read_table(gic_file *file, gic_error *error) {
  const uint64_t limit = file->size - gic_sum_bytes(file);
  const uint32_t sections = gic_u32(file->bytes + 16);
  uint64_t end;
  uint32_t i;
  if (file->size < 32 + gic_sum_bytes(file)) return gic_fail(error, GIC_LAYOUT, 24, "a checksum behind 32 bytes");
  if (sections > 256 || 32 + 32 * (uint64_t)sections > limit)
    return gic_fail(error, GIC_LAYOUT, 16, "at most 256 sections, within the file");
  file->json = 32 + 32 * (uint64_t)sections;
  file->json_size = gic_u32(file->bytes + 20);
  if (file->json_size > 0x1000000 || file->json_size > limit - file->json)
    return gic_fail(error, GIC_LAYOUT, 20, "at most 2^24 bytes of JSON, within the file");
  end = file->json + file->json_size;
  for (i = 0; i < sections; i++)
    if (!gic_read_entry(file, i, &end, error)) return 0;
  return end == limit ? 1 : gic_fail(error, GIC_LAYOUT, end, "the checksum");
}

/** Writes the checksum of all bytes before `at`, as it stands behind them. */
static void gic_sum(const unsigned char *p, uint64_t at, uint64_t bytes, unsigned char out[32]) {
  const uint32_t sum = bytes == 4 ? gic_crc32(p, at) : 0;
  int i;
  if (bytes == 32) gic_sha256(p, at, out);
  for (i = 0; bytes == 4 && i < 4; i++) out[i] = (unsigned char)(sum >> (8 * i));
}

static int gic_read_checksum(const gic_file *file, gic_error *error) {
  const uint64_t bytes = gic_sum_bytes(file), at = file->size - bytes;
  unsigned char sum[32];
  gic_sum(file->bytes, at, bytes, sum);
  if (memcmp(sum, file->bytes + at, (size_t)bytes) == 0) return 1;
  return gic_fail(error, GIC_CHECKSUM, at, "the checksum of the bytes before: the file is damaged");
}

#define GIC_ANY UINT64_MAX

/**
 * A section that must be there, of one of the types, and with so many elements, or GIC_ANY.
 *
 * @param types names of four bytes each and a NUL: "f32\0f64\0"
 */
static int gic_read_section(const gic_file *file, const char *name, const char *types, uint64_t count,
                            gic_section *section, gic_error *error) {
  const unsigned char *entry = file->bytes + 32;
  char wanted[12];
  int is_type;
  memset(wanted, 0, sizeof wanted);
  memcpy(wanted, name, strlen(name));
  while (entry < file->bytes + file->json && memcmp(entry, wanted, 12) != 0) entry += 32;
  if (entry == file->bytes + file->json) return gic_fail(error, GIC_SECTION, 16, name);
  for (is_type = 0; *types; types += 4) is_type = is_type || memcmp(entry + 12, types, 4) == 0;
  section->offset = gic_u64(entry + 16);
  section->count = gic_u64(entry + 24);
  section->size = gic_type_size(entry);
  if (!is_type) return gic_fail(error, GIC_SECTION, (uint64_t)(entry - file->bytes) + 12, "another type of elements");
  if (count == GIC_ANY || section->count == count) return 1;
  return gic_fail(error, GIC_SECTION, (uint64_t)(entry - file->bytes) + 24, "as many elements as the header says");
}

/* ---- The header ---- */

#define GIC_LARGEST_COORDINATE 1e100

static int gic_is_string(const gic_json *json, size_t at) { return at && gic_json_peek(json, at) == '"'; }

/** Whether `options` is an object of strings and numbers. */
static int gic_are_options(const gic_json *json, size_t at) {
  if (gic_json_peek(json, at) != '{') return 0;
  at = gic_json_space(json, at + 1);
  while (gic_json_peek(json, at) != '}') {
    int c;
    at = gic_json_name(json, at);
    c = gic_json_peek(json, at);
    if (c != '"' && c != '-' && !gic_is_digit(c)) return 0;
    at = gic_json_space(json, gic_json_end(json, at));
    if (gic_json_peek(json, at) == ',') at = gic_json_space(json, at + 1);
  }
  return 1;
}

/** A member that all kinds have is missing or of another type: its name; NULL where none is. */
static const char *gic_odd_member(const gic_json *json, size_t object) {
  const size_t source = gic_json_member(json, object, "source");
  const size_t units = gic_json_member(json, object, "units");
  if (!gic_is_string(json, gic_json_member(json, object, "tool"))) return "tool, a string, in the header";
  if (!units || (gic_json_peek(json, units) != 'n' && !gic_is_string(json, units)))
    return "units, a string or null, in the header";
  if (!source || (gic_json_peek(json, source) != 'n' &&
                  !(gic_is_string(json, gic_json_member(json, source, "name")) &&
                    gic_is_string(json, gic_json_member(json, source, "sha256")))))
    return "source, a name and a digest or null, in the header";
  if (!gic_are_options(json, gic_json_member(json, object, "options")))
    return "options, strings and numbers, in the header";
  return NULL;
}

/** Reads a whole number of the header, from `least` to `most`. */
static int gic_read_whole(const gic_json *json, size_t object, const char *name, double least, double most,
                          int64_t *out) {
  double value;
  if (!gic_json_double(json, gic_json_member(json, object, name), &value)) return 0;
  if (!(value >= least && value <= most) || floor(value) != value) return 0;
  *out = (int64_t)value;
  return 1;
}

/** What trees over triangles have in common: their numbers and the mesh's sections. */
static int gic_read_mesh(gic_file *file, const gic_json *json, size_t object, gic_error *error) {
  static const char types[] = "f32\0f64\0";
  const double most = GIC_LARGEST_COORDINATE;
  int64_t triangles, vertices;
  uint64_t i;
  if (!gic_read_whole(json, object, "triangles", 1, 1073741824, &triangles))
    return gic_fail(error, GIC_HEADER, file->json, "triangles, a count, in the header");
  if (!gic_read_whole(json, object, "vertices", 1, 1073741824, &vertices))
    return gic_fail(error, GIC_HEADER, file->json, "vertices, a count, in the header");
  if (!gic_json_doubles(json, gic_json_member(json, object, "origin"), 3, -most, most, file->origin))
    return gic_fail(error, GIC_HEADER, file->json, "origin, three coordinates, in the header");
  file->triangles = (uint32_t)triangles;
  file->vertices = (uint32_t)vertices;
  if (!gic_read_section(file, "positions", types, 3 * (uint64_t)vertices, &file->positions, error) ||
      !gic_read_section(file, "triangles", "u32\0", 3 * (uint64_t)triangles, &file->corners, error))
    return 0;
  for (i = 0; i < file->positions.count; i++) {
    const unsigned char *p = gic_at(file, &file->positions, i);
    const double x = file->positions.size == 4 ? gic_f32(p) : gic_f64(p);
    if (!(fabs(x) <= most)) return gic_fail(error, GIC_NUMBER, (uint64_t)(p - file->bytes), "a coordinate up to 1e100");
  }
  for (i = 0; i < file->corners.count; i++) {
    const unsigned char *p = gic_at(file, &file->corners, i);
    if (gic_u32(p) >= file->vertices)
      return gic_fail(error, GIC_NUMBER, (uint64_t)(p - file->bytes), "the number of a vertex");
  }
  return 1;
}

/* ---- OBB trees ---- */

/** Entries of F are multiples of 1 / GIC_FRAME_STEPS, in nodes of 64 bytes. */
#define GIC_FRAME_STEPS 32767
/** How far an entry of F^T F may be from the identity's: 2^-14. */
#define GIC_LARGEST_SKEW (1.0 / 16384)
/** Of centres and half extents of nodes of 64 bytes: 2^126. */
#define GIC_LARGEST_HALF 85070591730234615865843651857942052864.0

static const unsigned char *gic_node_at(const gic_file *file, uint32_t node) {
  return file->bytes + file->node_section.offset + (uint64_t)file->node_bytes * node;
}

/** The rotation of a quaternion whose w is not stored; returns x^2 + y^2 + z^2. */
static double gic_rotation(double x, double y, double z, double r[9]) {
  const double n = x * x + y * y + z * z;
  const double w = n < 1 ? sqrt(1 - n) : 0;
  r[0] = 1 - 2 * (y * y + z * z);
  r[1] = 2 * (x * y - z * w);
  r[2] = 2 * (x * z + y * w);
  r[3] = 2 * (x * y + z * w);
  r[4] = 1 - 2 * (x * x + z * z);
  r[5] = 2 * (y * z - x * w);
  r[6] = 2 * (x * z - y * w);
  r[7] = 2 * (y * z + x * w);
  r[8] = 1 - 2 * (x * x + y * y);
  return n;
}

/** The box of a node of 40 or 20 bytes; returns n of its quaternion. */
static double gic_binary_box(const gic_file *file, uint32_t node, gic_box *out) {
  const unsigned char *p = gic_node_at(file, node);
  const double unit = 1.0 / 32767;
  double q[3];
  int i;
  for (i = 0; i < 3; i++) {
    const int wide = file->node_bytes == 40;
    const double step = wide ? gic_f32(p + 12 + 4 * i) : gic_i16(p + 6 + 2 * i) * file->scale[0];
    q[i] = wide ? gic_f32(p + 4 * i) : gic_i16(p + 2 * i) * unit;
    out->origin[i] = 0;
    out->centre[i] = file->origin[i] + step;
    out->high[i] = wide ? gic_f32(p + 24 + 4 * i) : gic_u16(p + 12 + 2 * i) * file->scale[1];
    out->low[i] = -out->high[i];
  }
  return gic_rotation(q[0], q[1], q[2], out->rotation);
}

static float gic_wide_half(const unsigned char *node, int i) { return gic_float_of(gic_u16(node + 8 * i + 6) << 16); }

static void gic_wide_box(const gic_file *file, uint32_t node, gic_box *out) {
  const unsigned char *p = gic_node_at(file, node);
  int i, k;
  for (i = 0; i < 3; i++) {
    for (k = 0; k < 3; k++) out->rotation[3 * i + k] = gic_i16(p + 8 * i + 2 * k) / (double)GIC_FRAME_STEPS;
    out->origin[i] = file->origin[i];
    out->centre[i] = gic_f32(p + 24 + 4 * i);
    out->high[i] = gic_wide_half(p, i);
    out->low[i] = -out->high[i];
  }
}

/** What a byte of a child's box means in a node of half extent `half`; every step in binary32. */
static float gic_wide_bound(uint32_t byte, float half) {
  const float fraction = (float)(2.0 / 255);
  const float step = half * fraction;
  const float along = (float)byte * step;
  return along - half;
}

void gic_node_box(const gic_file *file, uint32_t node, gic_box *out) {
  if (file->node_bytes == 64) gic_wide_box(file, node, out);
  else gic_binary_box(file, node, out);
}

void gic_slot_box(const gic_file *file, uint32_t node, uint32_t slot, gic_box *out) {
  const unsigned char *p = gic_node_at(file, node);
  int i;
  gic_wide_box(file, node, out);
  for (i = 0; i < 3; i++) {
    out->low[i] = gic_wide_bound(p[40 + 4 * i + slot], gic_wide_half(p, i));
    out->high[i] = gic_wide_bound(p[52 + 4 * i + slot], gic_wide_half(p, i));
  }
}

/** What is odd about the numbers of a node of 40 or 20 bytes; NULL where nothing is. */
static const char *gic_odd_binary_box(const gic_file *file, uint32_t node) {
  const double most = 4 * GIC_LARGEST_COORDINATE;
  gic_box box;
  int i;
  if (!(gic_binary_box(file, node, &box) <= 1)) return "a quaternion with x^2 + y^2 + z^2 <= 1";
  for (i = 0; i < 3; i++)
    if (!(fabs(box.centre[i]) <= most && box.high[i] >= 0 && box.high[i] <= most)) return "a centre and half extents";
  return NULL;
}

/** The same of a node of 64 bytes, whose unused slots hold the box of nothing. */
static const char *gic_odd_wide_box(const gic_file *file, uint32_t node) {
  const unsigned char *p = gic_node_at(file, node);
  uint32_t slot;
  int i, j, k;
  for (i = 0; i < 3; i++) {
    for (j = i; j < 3; j++) {
      double product = 0;
      for (k = 0; k < 24; k += 8) product += (double)gic_i16(p + k + 2 * i) * gic_i16(p + k + 2 * j);
      product /= (double)GIC_FRAME_STEPS * GIC_FRAME_STEPS;
      if (!(fabs(product - (i == j)) <= GIC_LARGEST_SKEW)) return "three unit axes at right angles";
    }
    if (!(fabs(gic_f32(p + 24 + 4 * i)) <= GIC_LARGEST_HALF)) return "a centre";
    if (!(gic_u16(p + 8 * i + 6) < 0x8000 && gic_wide_half(p, i) <= GIC_LARGEST_HALF)) return "half extents";
    for (slot = (gic_u32(p + 36) >> 1 & 3) + 1; slot < 4; slot++)
      if (p[40 + 4 * i + slot] != 255 || p[52 + 4 * i + slot] != 0) return "no box of a child that is not there";
  }
  return NULL;
}

/** Whether what a node names lies in the file; with 20 bytes only the number of triangles below can tell. */
static int gic_is_link(const gic_file *file, uint32_t node) {
  const uint32_t link = gic_u32(gic_node_at(file, node) + 36);
  const uint64_t index = link >> 3, end = index + (link >> 1 & 3) + 1;
  if (file->node_bytes == 64) return link & 1 ? end <= file->triangles : index > node && end <= file->nodes;
  return link & 1 ? link >> 1 < file->triangles : link >> 1 > node && (link >> 1) + 1 < file->nodes;
}

static int gic_read_nodes(const gic_file *file, gic_error *error) {
  uint32_t node;
  for (node = 0; node < file->nodes; node++) {
    const int is_wide = file->node_bytes == 64;
    const char *odd = is_wide ? gic_odd_wide_box(file, node) : gic_odd_binary_box(file, node);
    const uint64_t at = (uint64_t)(gic_node_at(file, node) - file->bytes);
    if (odd) return gic_fail(error, GIC_NUMBER, at, odd);
    if (file->node_bytes != 20 && !gic_is_link(file, node))
      return gic_fail(error, GIC_TREE, at + 36, "a triangle, or children after their parent");
  }
  return 1;
}

static int gic_read_obb(gic_file *file, const gic_json *json, size_t object, gic_error *error) {
  uint64_t i, words = GIC_ANY;
  int64_t node_bytes;
  if (!gic_read_whole(json, object, "nodeBytes", 20, 64, &node_bytes) ||
      (node_bytes != 40 && node_bytes != 20 && node_bytes != 64))
    return gic_fail(error, GIC_HEADER, file->json, "nodeBytes, 40, 20 or 64, in the header");
  file->node_bytes = (uint32_t)node_bytes;
  /* The least double above 0, since a step has a length. */
  if (!gic_json_doubles(json, gic_json_member(json, object, "scale"), 2, 5e-324, GIC_LARGEST_COORDINATE, file->scale))
    return gic_fail(error, GIC_HEADER, file->json, "scale, two lengths, in the header");
  if (!gic_read_mesh(file, json, object, error)) return 0;
  if (node_bytes == 40) words = 10 * (2 * (uint64_t)file->triangles - 1);
  if (node_bytes == 20) words = 10 * (file->triangles > 1 ? (uint64_t)file->triangles - 1 : 1);
  if (!gic_read_section(file, "nodes", node_bytes == 20 ? "u16\0" : "u32\0", words, &file->node_section, error))
    return 0;
  words = file->node_section.count * file->node_section.size;
  if (words == 0 || words % file->node_bytes != 0)
    return gic_fail(error, GIC_SECTION, file->node_section.offset, "whole nodes, one at least");
  file->nodes = (uint32_t)(words / file->node_bytes);
  if (node_bytes != 40) {
    if (!gic_read_section(file, "order", "u32\0", file->triangles, &file->order, error)) return 0;
    for (i = 0; i < file->order.count; i++)
      if (gic_u32(gic_at(file, &file->order, i)) >= file->triangles)
        return gic_fail(error, GIC_NUMBER, file->order.offset + 4 * i, "the number of a triangle");
  }
  return gic_read_nodes(file, error);
}

/* ---- k-DOP trees ---- */

/** Bits of the largest coefficient, and the scale's exponents. */
#define GIC_MOST_BITS 36
#define GIC_LEAST_EXPONENT (-900)
#define GIC_MOST_EXPONENT 340

static int64_t gic_stream_number(const gic_file *file, uint64_t n) {
  const uint64_t first = n * file->bits;
  const unsigned char *p = file->bytes + file->coefficients.offset + first / 8;
  const uint32_t shift = (uint32_t)(first % 8), bytes = (shift + file->bits + 7) / 8;
  const int64_t half = (int64_t)1 << (file->bits - 1);
  uint64_t value = 0;
  uint32_t i;
  for (i = 0; i < bytes; i++) value |= (uint64_t)p[i] << (8 * i);
  value = value >> shift & ((uint64_t)half * 2 - 1);
  return (int64_t)(value ^ (uint64_t)half) - half;
}

int64_t gic_coefficient(const gic_file *file, uint32_t node, uint32_t i) {
  return gic_stream_number(file, (uint64_t)file->k * node + i);
}

void gic_direction(const gic_file *file, uint32_t i, double out[3]) {
  static const signed char table[13][3] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1}, {1, 1, 1}, {1, 1, -1},
                                           {1, -1, 1}, {-1, 1, 1}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1},
                                           {1, -1, 0}, {1, 0, -1}, {0, 1, -1}};
  const uint32_t half = file->k / 2, row = i < half ? i : i - half;
  /* Of 18 no corners, of 24 one less. */
  const uint32_t skipped = row < 3 ? 0 : file->k == 18 ? 4 : file->k == 24 && row > 5 ? 1 : 0;
  const signed char *d = table[row + skipped];
  const double length = sqrt((double)(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
  int axis;
  for (axis = 0; axis < 3; axis++) out[axis] = (i < half ? d[axis] : -d[axis]) / length;
}

/** Coefficients within their range, no slab inside out, links within the file. */
static int gic_read_dops(const gic_file *file, gic_error *error) {
  const int64_t most = ((int64_t)1 << (file->bits - 1)) - 1;
  const uint64_t numbers = (uint64_t)file->k * file->nodes;
  uint32_t node, i;
  for (node = 0; node < file->nodes; node++) {
    const uint64_t at = file->coefficients.offset + (uint64_t)file->k * node * file->bits / 8;
    const uint32_t link = gic_u32(gic_at(file, &file->links, node)), target = link >> 1;
    for (i = 0; i < file->k / 2; i++) {
      const int64_t d = gic_coefficient(file, node, i), e = gic_coefficient(file, node, i + file->k / 2);
      if (d < -most || e < -most) return gic_fail(error, GIC_NUMBER, at, "coefficients above the least of their bits");
      if (d + e < 0) return gic_fail(error, GIC_NUMBER, at, "opposite coefficients whose sum is not negative");
    }
    if (link & 1 ? target >= file->triangles : target <= node || target + 1 >= file->nodes)
      return gic_fail(error, GIC_TREE, file->links.offset + 4 * (uint64_t)node,
                      "a triangle, or children after their parent");
  }
  if (numbers * file->bits % 8 != 0 &&
      file->bytes[file->coefficients.offset + numbers * file->bits / 8] >> (numbers * file->bits % 8) != 0)
    return gic_fail(error, GIC_NUMBER, file->coefficients.offset + numbers * file->bits / 8, "zeros after the last bit");
  return 1;
}

static int gic_read_kdop(gic_file *file, const gic_json *json, size_t object, gic_error *error) {
  const char *types = "u8\0\0";
  int64_t k, bits, exponent;
  uint64_t count;
  if (!gic_read_whole(json, object, "k", 6, 26, &k) || (k != 6 && k != 14 && k != 18 && k != 24 && k != 26))
    return gic_fail(error, GIC_HEADER, file->json, "k, 6, 14, 18, 24 or 26, in the header");
  if (!gic_read_whole(json, object, "bits", 8, GIC_MOST_BITS, &bits))
    return gic_fail(error, GIC_HEADER, file->json, "bits, 8 to 36, in the header");
  if (!gic_read_whole(json, object, "exponent", GIC_LEAST_EXPONENT, GIC_MOST_EXPONENT, &exponent))
    return gic_fail(error, GIC_HEADER, file->json, "exponent, -900 to 340, in the header");
  if (!gic_read_mesh(file, json, object, error)) return 0;
  file->k = (uint32_t)k;
  file->bits = (uint32_t)bits;
  file->quantum = ldexp(1, (int)(exponent - bits + 1));
  file->nodes = 2 * file->triangles - 1;
  count = ((uint64_t)file->k * file->nodes * file->bits + 7) / 8;
  if (bits == 16 || bits == 32) {
    types = bits == 16 ? "i16\0" : "i32\0";
    count = (uint64_t)file->k * file->nodes;
  }
  return gic_read_section(file, "coefficients", types, count, &file->coefficients, error) &&
         gic_read_section(file, "links", "u32\0", file->nodes, &file->links, error) && gic_read_dops(file, error);
}

/* ---- Cubes ---- */

static uint32_t gic_bits_in(uint64_t mask) {
  uint32_t count = 0;
  for (; mask; mask &= mask - 1) count++;
  return count;
}

/** Every third bit of a key, from bit `axis` on. */
static int32_t gic_unspread(uint64_t key, int axis) {
  uint32_t value = 0;
  int bit;
  for (bit = 0; bit < 20; bit++) value |= (uint32_t)(key >> (3 * bit + axis) & 1) << bit;
  return (int32_t)value - (1 << 19);
}

static uint64_t gic_key(const gic_file *file, uint32_t index) {
  const unsigned char *p = gic_at(file, &file->keys, 2 * (uint64_t)index);
  return gic_u32(p) | (uint64_t)gic_u32(p + 4) << 30;
}

void gic_brick_at(const gic_file *file, uint32_t index, gic_brick *out) {
  const uint64_t key = gic_key(file, index);
  out->x = gic_unspread(key, 0);
  out->y = gic_unspread(key, 1);
  out->z = gic_unspread(key, 2);
  out->mask = gic_u64(gic_at(file, &file->masks, 2 * (uint64_t)index));
}

void gic_cell(const gic_brick *brick, uint32_t bit, int32_t out[3]) {
  const int32_t n = (int32_t)bit;
  out[0] = 4 * brick->x + (n & 1) + (n >> 2 & 2);
  out[1] = 4 * brick->y + (n >> 1 & 1) + (n >> 3 & 2);
  out[2] = 4 * brick->z + (n >> 2 & 1) + (n >> 4 & 2);
}

double gic_cell_start(const gic_file *file, int32_t k) { return k * file->precision; }

static int gic_read_cubes(gic_file *file, const gic_json *json, size_t object, gic_error *error) {
  const size_t precision = gic_json_member(json, object, "precision");
  uint64_t found = 0;
  int64_t bricks, cubes;
  uint32_t i;
  if (!gic_json_double(json, precision, &file->precision) || !(file->precision >= 1e-100 && file->precision <= 1e100))
    return gic_fail(error, GIC_HEADER, file->json, "precision, a length, in the header");
  if (!gic_read_whole(json, object, "bricks", 1, 134217728, &bricks))
    return gic_fail(error, GIC_HEADER, file->json, "bricks, a count, in the header");
  if (!gic_read_whole(json, object, "cubes", 1, 2147483647, &cubes))
    return gic_fail(error, GIC_HEADER, file->json, "cubes, a count, in the header");
  file->bricks = (uint32_t)bricks;
  file->cubes = (uint32_t)cubes;
  if (!gic_read_section(file, "keys", "u32\0", 2 * (uint64_t)bricks, &file->keys, error) ||
      !gic_read_section(file, "masks", "u32\0", 2 * (uint64_t)bricks, &file->masks, error))
    return 0;
  for (i = 0; i < file->bricks; i++) {
    const unsigned char *p = gic_at(file, &file->keys, 2 * (uint64_t)i);
    const uint32_t count = gic_bits_in(gic_u64(gic_at(file, &file->masks, 2 * (uint64_t)i)));
    if (gic_u32(p) >> 30 || gic_u32(p + 4) >> 30 || (i > 0 && gic_key(file, i) <= gic_key(file, i - 1)))
      return gic_fail(error, GIC_NUMBER, file->keys.offset + 8 * (uint64_t)i, "keys of 30 bits a word, ascending");
    if (count == 0) return gic_fail(error, GIC_NUMBER, file->masks.offset + 8 * (uint64_t)i, "cubes in every brick");
    found += count;
  }
  return found == (uint64_t)cubes ? 1 : gic_fail(error, GIC_HEADER, file->json, "cubes, how many bits the masks have");
}

int gic_open(const void *bytes, size_t size, gic_file *file, gic_error *error) {
  gic_json json;
  size_t object;
  const char *odd;
  if (error) gic_fail(error, GIC_OK, 0, "");
  memset(file, 0, sizeof *file);
  file->bytes = (const unsigned char *)bytes;
  file->size = size;
  if (!gic_read_start(file, error) || !gic_read_table(file, error) || !gic_read_checksum(file, error)) return 0;
  json.text = file->bytes + file->json;
  json.size = (size_t)file->json_size;
  if (!gic_json_is_object(&json)) return gic_fail(error, GIC_HEADER, file->json, "a JSON object, at most 64 deep");
  object = gic_json_space(&json, 0);
  odd = gic_odd_member(&json, object);
  if (odd) return gic_fail(error, GIC_HEADER, file->json, odd);
  if (file->kind == GIC_OBB) return gic_read_obb(file, &json, object, error);
  return file->kind == GIC_KDOP ? gic_read_kdop(file, &json, object, error)
                                : gic_read_cubes(file, &json, object, error);
}

/* ---- Meshes and walks ---- */

void gic_vertex(const gic_file *file, uint32_t vertex, double out[3]) {
  int i;
  for (i = 0; i < 3; i++) {
    const unsigned char *p = gic_at(file, &file->positions, 3 * (uint64_t)vertex + (uint64_t)i);
    out[i] = file->positions.size == 4 ? gic_f32(p) : gic_f64(p);
  }
}

void gic_corners(const gic_file *file, uint32_t triangle, uint32_t out[3]) {
  int i;
  for (i = 0; i < 3; i++) out[i] = gic_u32(gic_at(file, &file->corners, 3 * (uint64_t)triangle + (uint64_t)i));
}

void gic_triangle(const gic_file *file, uint32_t triangle, double out[9]) {
  uint32_t corners[3];
  int i;
  gic_corners(file, triangle, corners);
  for (i = 0; i < 3; i++) gic_vertex(file, corners[i], out + 3 * i);
}

/** The item of a node, which is a triangle, too, where it is a leaf. */
static gic_item gic_item_of(const gic_file *file, uint32_t node, uint32_t first, uint32_t count) {
  gic_item item;
  item.node = node;
  item.triangle = item.parent = item.slot = GIC_NONE;
  item.first = first;
  item.count = count;
  if (file->kind == GIC_KDOP || file->node_bytes == 40) {
    const unsigned char *p =
        file->kind == GIC_KDOP ? gic_at(file, &file->links, node) : gic_node_at(file, node) + 36;
    if (gic_u32(p) & 1) item.triangle = gic_u32(p) >> 1;
  } else if (file->node_bytes == 20 && count == 1) {
    item.triangle = gic_u32(gic_at(file, &file->order, first));
  }
  return item;
}

/** The item of place `first` of the order of triangles. */
static gic_item gic_item_in_order(const gic_file *file, uint32_t first) {
  gic_item item;
  item.node = item.parent = item.slot = GIC_NONE;
  item.triangle = gic_u32(gic_at(file, &file->order, first));
  item.first = first;
  item.count = 1;
  return item;
}

gic_item gic_root(const gic_file *file) { return gic_item_of(file, 0, 0, file->triangles); }

/** How many triangles the positive child of a node of 20 bytes covers; 0 where the file says nonsense. */
static uint32_t gic_positive(const gic_file *file, const gic_item *item) {
  const uint32_t stored = gic_u16(gic_node_at(file, item->node) + 18);
  if (item->count > 65535) return stored == 0 ? (item->count + 1) / 2 : 0;
  return stored < item->count ? stored : 0;
}

int gic_children(const gic_file *file, const gic_item *item, gic_item out[4]) {
  uint32_t link, i;
  if (item->triangle != GIC_NONE) return 0;
  if (file->node_bytes == 20) {
    const uint32_t p = gic_positive(file, item), rest = item->count - p;
    if (p == 0) return 0;
    out[0] = p > 1 ? gic_item_of(file, item->node + 1, item->first, p) : gic_item_in_order(file, item->first);
    out[1] = rest > 1 ? gic_item_of(file, item->node + p, item->first + p, rest)
                      : gic_item_in_order(file, item->first + p);
    return 2;
  }
  if (file->node_bytes != 64) {
    link = gic_u32(file->kind == GIC_KDOP ? gic_at(file, &file->links, item->node) : gic_node_at(file, item->node) + 36);
    out[0] = gic_item_of(file, link >> 1, 0, 0);
    out[1] = gic_item_of(file, (link >> 1) + 1, 0, 0);
    return 2;
  }
  link = gic_u32(gic_node_at(file, item->node) + 36);
  for (i = 0; i <= (link >> 1 & 3); i++) {
    out[i] = link & 1 ? gic_item_in_order(file, (link >> 3) + i) : gic_item_of(file, (link >> 3) + i, 0, 0);
    out[i].parent = item->node;
    out[i].slot = i;
  }
  return (int)i;
}

int gic_item_box(const gic_file *file, const gic_item *item, gic_box *out) {
  if (item->node != GIC_NONE) gic_node_box(file, item->node, out);
  else if (item->parent != GIC_NONE) gic_slot_box(file, item->parent, item->slot, out);
  else return 0;
  return 1;
}

int gic_box_holds(const gic_box *box, const double point[3]) {
  double d[3];
  int i;
  for (i = 0; i < 3; i++) d[i] = (point[i] - box->origin[i]) - box->centre[i];
  for (i = 0; i < 3; i++) {
    const double u = box->rotation[i] * d[0] + box->rotation[3 + i] * d[1] + box->rotation[6 + i] * d[2];
    if (!(u >= box->low[i] && u <= box->high[i])) return 0;
  }
  return 1;
}

/* ---- That the nodes are one tree ---- */

uint64_t gic_scratch_bytes(const gic_file *file) {
  return file->kind == GIC_CUBES ? 0 : ((uint64_t)file->nodes + file->triangles + 7) / 8;
}

/** Sets a bit; returns what it was. */
static int gic_mark(unsigned char *bits, uint64_t at) {
  const int was = bits[at / 8] >> (at % 8) & 1;
  bits[at / 8] = (unsigned char)(bits[at / 8] | 1 << (at % 8));
  return was;
}

/** How far below the root an item of a tree may lie; a triangle that is no node counts as one. */
static uint32_t gic_deepest(const gic_file *file) {
  if (file->kind == GIC_KDOP) return 128;
  return file->node_bytes == 64 ? 65 : 256;
}

int gic_check(const gic_file *file, void *scratch, size_t scratch_bytes, gic_error *error) {
  unsigned char *seen = (unsigned char *)scratch;
  const uint64_t trees = file->kind == GIC_OBB ? file->node_section.offset : file->links.offset;
  uint64_t nodes = 0, triangles = 0;
  gic_item stack[GIC_STACK + 3];
  uint32_t depths[GIC_STACK + 3], top = 1;
  if (error) gic_fail(error, GIC_OK, 0, "");
  if (file->kind == GIC_CUBES) return 1;
  if (scratch_bytes < gic_scratch_bytes(file)) return gic_fail(error, GIC_MEMORY, 0, "more memory to check in");
  memset(seen, 0, (size_t)gic_scratch_bytes(file));
  stack[0] = gic_root(file);
  depths[0] = 0;
  while (top > 0) {
    const gic_item item = stack[--top];
    const uint32_t depth = depths[top];
    gic_item children[4];
    int count = gic_children(file, &item, children);
    if (depth > gic_deepest(file)) return gic_fail(error, GIC_TREE, trees, "a tree of fewer levels");
    if (item.node != GIC_NONE && gic_mark(seen, item.node)) return gic_fail(error, GIC_TREE, trees, "every node once");
    nodes += item.node != GIC_NONE;
    if (item.triangle != GIC_NONE) {
      if (gic_mark(seen, (uint64_t)file->nodes + item.triangle))
        return gic_fail(error, GIC_TREE, trees, "every triangle once");
      triangles++;
    } else if (count == 0) {
      return gic_fail(error, GIC_TREE, trees + 20 * (uint64_t)item.node + 18, "a positive child of fewer triangles");
    }
    while (count-- > 0) {
      depths[top] = depth + 1;
      stack[top++] = children[count];
    }
  }
  if (nodes == file->nodes && triangles == file->triangles) return 1;
  return gic_fail(error, GIC_TREE, trees, "every node and every triangle in the tree");
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

#endif /* GICOLLIDE_IMPLEMENTATION */
#endif /* GICOLLIDE_H */
