/*
 * Prints all that an .obb, .kdop or .voxel file holds, decoded, as one JSON object: dump FILE
 *
 * Doubles have 17 digits, which read back as the same double. `walk` lists the items of a tree,
 * depth first: node, triangle (-1 for none), depth, and how many corners of triangles below it are
 * outside of its box.
 */
#define GICOLLIDE_IMPLEMENTATION
#include "gicollide.h"

#include <stdio.h>
#include <stdlib.h>

static void print_doubles(const char *name, const double *numbers, int count) {
  int i;
  printf("\"%s\":[", name);
  for (i = 0; i < count; i++) printf("%s%.17g", i ? "," : "", numbers[i]);
  printf("]");
}

static void print_mesh(const gic_file *file) {
  uint32_t i;
  printf(",\"vertices\":[");
  for (i = 0; i < file->vertices; i++) {
    double v[3];
    gic_vertex(file, i, v);
    printf("%s%.17g,%.17g,%.17g", i ? "," : "", v[0], v[1], v[2]);
  }
  printf("],\"triangles\":[");
  for (i = 0; i < file->triangles; i++) {
    uint32_t corners[3];
    gic_corners(file, i, corners);
    printf("%s%u,%u,%u", i ? "," : "", (unsigned)corners[0], (unsigned)corners[1], (unsigned)corners[2]);
  }
  printf("]");
}

static void print_box(const gic_box *box) {
  printf("{");
  print_doubles("rotation", box->rotation, 9);
  printf(",");
  print_doubles("origin", box->origin, 3);
  printf(",");
  print_doubles("centre", box->centre, 3);
  printf(",");
  print_doubles("low", box->low, 3);
  printf(",");
  print_doubles("high", box->high, 3);
  printf("}");
}

static void print_boxes(const gic_file *file) {
  gic_box box;
  uint32_t i, slot;
  printf(",\"nodeBytes\":%u,\"boxes\":[", (unsigned)file->node_bytes);
  for (i = 0; i < file->nodes; i++) {
    printf(i ? "," : "");
    gic_node_box(file, i, &box);
    print_box(&box);
  }
  printf("],\"slots\":[");
  for (i = 0; file->node_bytes == 64 && i < file->nodes; i++) {
    for (slot = 0; slot < 4; slot++) {
      printf(i + slot ? "," : "");
      gic_slot_box(file, i, slot, &box);
      print_box(&box);
    }
  }
  printf("]");
}

static void print_dops(const gic_file *file) {
  uint32_t node, i;
  printf(",\"k\":%u,\"bits\":%u,\"quantum\":%.17g,", (unsigned)file->k, (unsigned)file->bits, file->quantum);
  print_doubles("origin", file->origin, 3);
  printf(",\"directions\":[");
  for (i = 0; i < file->k; i++) {
    double d[3];
    gic_direction(file, i, d);
    printf("%s%.17g,%.17g,%.17g", i ? "," : "", d[0], d[1], d[2]);
  }
  printf("],\"coefficients\":[");
  for (node = 0; node < file->nodes; node++)
    for (i = 0; i < file->k; i++)
      printf("%s%lld", node + i ? "," : "", (long long)gic_coefficient(file, node, i));
  printf("]");
}

/** Corners of triangles below an item that its box does not hold. */
static uint32_t outside(const gic_file *file, const gic_item *top, const gic_box *box) {
  gic_item stack[GIC_STACK];
  uint32_t count = 0, height = 1;
  stack[0] = *top;
  while (height > 0) {
    const gic_item item = stack[--height];
    double corners[9];
    int i;
    if (item.triangle == GIC_NONE) {
      height += (uint32_t)gic_children(file, &item, stack + height);
      continue;
    }
    gic_triangle(file, item.triangle, corners);
    for (i = 0; i < 9; i += 3) count += !gic_box_holds(box, corners + i);
  }
  return count;
}

static void print_walk(const gic_file *file) {
  gic_item stack[GIC_STACK];
  int depths[GIC_STACK], height = 1, i;
  const char *comma = "";
  stack[0] = gic_root(file);
  depths[0] = 0;
  printf(",\"walk\":[");
  while (height > 0) {
    const gic_item item = stack[--height];
    const int depth = depths[height];
    gic_item children[4];
    gic_box box;
    const uint32_t beyond =
        file->kind == GIC_OBB && gic_item_box(file, &item, &box) ? outside(file, &item, &box) : 0;
    printf("%s[%ld,%ld,%d,%u]", comma, item.node == GIC_NONE ? -1L : (long)item.node,
           item.triangle == GIC_NONE ? -1L : (long)item.triangle, depth, (unsigned)beyond);
    comma = ",";
    for (i = gic_children(file, &item, children) - 1; i >= 0; i--) {
      depths[height] = depth + 1;
      stack[height++] = children[i];
    }
  }
  printf("]");
}

static void print_cubes(const gic_file *file) {
  const char *comma = "";
  uint32_t i, bit;
  printf(",\"precision\":%.17g,\"bricks\":%u,\"cells\":[", file->precision, (unsigned)file->bricks);
  for (i = 0; i < file->bricks; i++) {
    gic_brick brick;
    gic_brick_at(file, i, &brick);
    for (bit = 0; bit < 64; bit++) {
      int32_t cell[3];
      if (!(brick.mask >> bit & 1)) continue;
      gic_cell(&brick, bit, cell);
      printf("%s%ld,%ld,%ld", comma, (long)cell[0], (long)cell[1], (long)cell[2]);
      comma = ",";
    }
  }
  printf("]");
}

/** The bytes of a file, with malloc; NULL where it cannot be read. */
static unsigned char *read_file(const char *path, size_t *size) {
  FILE *stream = fopen(path, "rb");
  unsigned char *bytes = NULL;
  long length;
  if (!stream) return NULL;
  if (fseek(stream, 0, SEEK_END) == 0 && (length = ftell(stream)) >= 0 && fseek(stream, 0, SEEK_SET) == 0) {
    *size = (size_t)length;
    bytes = (unsigned char *)malloc(*size + 1);
    if (bytes && fread(bytes, 1, *size, stream) != *size) {
      free(bytes);
      bytes = NULL;
    }
  }
  fclose(stream);
  return bytes;
}

int main(int count, char **arguments) {
  static const char *const kinds[] = {"obb", "kdop", "voxel"};
  gic_file file;
  gic_error error;
  size_t size = 0;
  unsigned char *bytes = count == 2 ? read_file(arguments[1], &size) : NULL;
  void *scratch = NULL;
  if (!bytes) {
    fprintf(stderr, count == 2 ? "%s: cannot be read\n" : "dump FILE\n", arguments[1]);
    return 2;
  }
  if (!gic_open(bytes, size, &file, &error) || !(scratch = malloc((size_t)gic_scratch_bytes(&file) + 1)) ||
      !gic_check(&file, scratch, (size_t)gic_scratch_bytes(&file), &error)) {
    fprintf(stderr, "%s: at byte %llu: expected %s\n", arguments[1], (unsigned long long)error.offset, error.expected);
    free(scratch);
    free(bytes);
    return 2;
  }
  printf("{\"kind\":\"%s\",\"version\":%u", kinds[file.kind], (unsigned)file.version);
  if (file.kind == GIC_CUBES) print_cubes(&file);
  else print_mesh(&file);
  if (file.kind == GIC_OBB) print_boxes(&file);
  if (file.kind == GIC_KDOP) print_dops(&file);
  if (file.kind != GIC_CUBES) print_walk(&file);
  printf("}\n");
  free(scratch);
  free(bytes);
  return 0;
}
