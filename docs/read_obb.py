#!/usr/bin/env python3
"""Reads an OBB tree by its FORMAT.md, tests every vertex in every box above it: python3 read_obb.py bunny.obb"""
import hashlib, json, math, struct, sys

data = open(sys.argv[1], 'rb').read()
if data[:16] != b'gicollidobb\0\1\0\0\0': sys.exit('expected an OBB tree of version 1')
if hashlib.sha256(data[:-32]).digest() != data[-32:]: sys.exit('damaged: the checksum is that of other bytes')
count, length = struct.unpack_from('<II', data, 16)
header = json.loads(data[32 + 32 * count:][:length])
table = {name.rstrip(b'\0'): place for name, *place in struct.iter_unpack('<12s4sQQ', data[32:][:32 * count])}

def rows(name, **layouts):  # a section as a list of tuples, laid out by the type of its elements
    kind, offset, count = table[name]
    layout = '<' + layouts[kind.rstrip(b'\0').decode()]
    return list(struct.iter_unpack(layout, data[offset:offset + count * int(kind[1:3]) // 8]))

positions, triangles = rows(b'positions', f32='3f', f64='3d'), rows(b'triangles', u32='3I')
nodes, wide = rows(b'nodes', u32='9fI', u16='6h4H'), header['nodeBytes'] == 40
order = [] if wide else rows(b'order', u32='I')

def box(node):  # rotation, row by row; centre; half extents
    x, y, z = (q * (1 if wide else 1 / 32767) for q in node[:3])
    w = math.sqrt(max(0, 1 - (x * x + y * y + z * z)))
    rotation = (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w),
                2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
                2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y))
    step, size = header['scale']
    return rotation, [o + c * step for o, c in zip(header['origin'], node[3:6])], [h * size for h in node[6:9]]

def holds(r, centre, half, point):
    x, y, z = (p - c for p, c in zip(point, centre))
    return all(abs(r[k] * x + r[3 + k] * y + r[6 + k] * z) <= half[k] for k in range(3))

tests, queue = [], [(0, 0, len(order), [])]
for i, first, count, above in queue:  # node, or -1 for none; what it covers of order; boxes above it. Grows on the way
    if i >= 0: above = [*above, box(nodes[i])]
    if count == 1 or wide and nodes[i][9] & 1:
        triangle = triangles[nodes[i][9] >> 1 if wide else order[first][0]]
        tests += [holds(*bound, positions[vertex]) for vertex in triangle for bound in above]
    elif wide:
        queue += [((nodes[i][9] >> 1) + k, 0, 0, above) for k in (0, 1)]
    else:
        p = nodes[i][9] if count < 65536 else (count + 1) // 2
        queue += [(i + 1 if p > 1 else -1, first, p, above),
                  (i + p if count - p > 1 else -1, first + p, count - p, above)]

print(f"{len(triangles)} triangles, {len(positions)} vertices, {len(nodes)} nodes of {header['nodeBytes']} bytes")
for i in (0, len(nodes) - 1): print('node {}: rotation {}, centre {}, half extents {}'.format(i, *box(nodes[i])))
print(f'{len(tests)} tests of a vertex in a box above it, {tests.count(False)} fail')
sys.exit(False in tests)
