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
size, origin = header['nodeBytes'], header['origin']
nodes, wide = rows(b'nodes', u32='9fI' if size == 40 else '3hH3hH3hH3fI24B', u16='6h4H'), size == 40
order = [] if wide else rows(b'order', u32='I')
if size == 64: positions = [[p - o for p, o in zip(point, origin)] for point in positions]  # centres are relative to it

def f32(x): return struct.unpack('<f', struct.pack('<f', x))[0]

def box(node):  # rotation, or F, row by row; centre; half extents
    if size == 64:
        return [q / 32767 for q in node[:3] + node[4:7] + node[8:11]], list(node[12:15]), [
            struct.unpack('<f', struct.pack('<HH', 0, g))[0] for g in node[3:12:4]]
    x, y, z = (q * (1 if wide else 1 / 32767) for q in node[:3])
    w = math.sqrt(max(0, 1 - (x * x + y * y + z * z)))
    rotation = (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w),
                2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
                2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y))
    step, unit = header['scale']
    return rotation, [o + c * step for o, c in zip(origin, node[3:6])], [h * unit for h in node[6:9]]

def whole(node):  # the box of a node: rotation, centre, lowest and highest
    rotation, centre, half = box(node)
    return rotation, centre, [-h for h in half], half

def part(node, j):  # that of child j of a node of 64 bytes
    rotation, centre, half = box(node)
    steps = [f32(h * f32(2 / 255)) for h in half]
    low, high = ([f32(f32(b * s) - h) for b, s, h in zip(node[at + j:at + 12:4], steps, half)] for at in (16, 28))
    return rotation, centre, low, high

def holds(r, centre, low, high, point):
    x, y, z = (p - c for p, c in zip(point, centre))
    return all(low[k] <= r[k] * x + r[3 + k] * y + r[6 + k] * z <= high[k] for k in range(3))

tests, queue = [], [(0, 0, len(order), [])]
for i, first, count, above in queue:  # node, or -1 for none; what it covers of order; boxes above it. Grows on the way
    if i >= 0: above = [*above, whole(nodes[i])]
    if size == 64 and i >= 0:
        link = nodes[i][15]
        for j in range((link >> 1 & 3) + 1):
            queue.append((-1 if link & 1 else (link >> 3) + j, (link >> 3) + j, 1, [*above, part(nodes[i], j)]))
    elif count == 1 or wide and nodes[i][9] & 1:
        triangle = triangles[nodes[i][9] >> 1 if wide else order[first][0]]
        tests += [holds(*bound, positions[vertex]) for vertex in triangle for bound in above]
    elif wide:
        queue += [((nodes[i][9] >> 1) + k, 0, 0, above) for k in (0, 1)]
    else:
        p = nodes[i][9] if count < 65536 else (count + 1) // 2
        queue += [(i + 1 if p > 1 else -1, first, p, above),
                  (i + p if count - p > 1 else -1, first + p, count - p, above)]

print(f"{len(triangles)} triangles, {len(positions)} vertices, {len(nodes)} nodes of {size} bytes")
for i in (0, len(nodes) - 1): print('node {}: rotation {}, centre {}, half extents {}'.format(i, *box(nodes[i])))
print(f'{len(tests)} tests of a vertex in a box above it, {tests.count(False)} fail')
sys.exit(False in tests)
