#!/usr/bin/env python3
"""Reads what gicollide writes: OBB trees, k-DOP trees, cubes and geometry images. One file; needs numpy.

    import gicollide
    tree = gicollide.read('bunny.obb')
    tree.vertices, tree.triangles, tree.boxes()

The formats are described in src/representations/*/FORMAT.md of gicollide, and this reader was
written from these pages. Lengths are in model units. Run with files, it says what is in them and
tests every corner of every triangle in every box above it: python3 gicollide.py bunny.obb

MIT licence, as gicollide.
"""
import hashlib
import json
import re
import struct
import sys
import zlib
from dataclasses import dataclass

import numpy as np

NONE = -1
"""The node of an item that is no node, and the triangle of one that is none."""


class FormatError(ValueError):
    """A file that is damaged, cut short, of a newer version, or of another kind."""


def require(holds, expected):
    if not holds:
        raise FormatError(f'expected {expected}')


def read(source):
    """What a file holds, by its first bytes: ObbTree, KdopTree, Cubes or GeometryImage.

    source: a path, or the file's bytes
    """
    if isinstance(source, (bytes, bytearray, memoryview)):
        data = bytes(source)
    else:
        with open(source, 'rb') as file:
            data = file.read()
    with np.errstate(all='ignore'):  # what is no number is refused, not warned of
        if data[:2] in (b'II', b'MM'):
            return read_image(data)
        blob = read_blob(data)
        require(blob.kind in BLOBS, f'one of the kinds {", ".join(BLOBS)}, not {blob.kind}')
        return BLOBS[blob.kind](blob)


# ---- Blobs: the container of .obb, .kdop and .voxel files, and of sources within images ----


@dataclass
class Blob:
    kind: str
    version: int
    header: dict
    sections: dict  # arrays by name

    def section(self, name, *types, count=None):
        """A section that must be there, of one of these types, and with so many elements."""
        require(name in self.sections, f'a section {name}')
        array = self.sections[name]
        require(array.dtype.str[1:] in types, f'section {name} of {" or ".join(types)}')
        require(count is None or array.size == count, f'{count} elements in section {name}')
        return array

    def whole(self, name, least, most):
        """A whole number of the header."""
        value = self.header.get(name)
        require(is_number(value) and least <= value <= most and value == int(value), f'{name}, {least} to {most}')
        return int(value)

    def numbers(self, name, count, least, most):
        """So many numbers of the header."""
        values = self.header.get(name)
        require(isinstance(values, list) and len(values) == count and all(map(is_number, values)), f'{name}, {count} numbers')
        require(all(least <= value <= most for value in values), f'{name}, numbers from {least} to {most}')
        return np.array(values, dtype=np.float64)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


TYPES = {'u8': '<u1', 'i16': '<i2', 'u16': '<u2', 'u32': '<u4', 'i32': '<i4', 'f32': '<f4', 'f64': '<f8'}


def read_blob(data):
    """The sections of a blob of any kind, after its layout and its checksum have been checked."""
    require(data[:8] == b'gicollid' and len(data) >= 38, 'a file of gicollide')
    kind = data[8:12].rstrip(b'\0').decode('latin-1')
    version, count, length, total = struct.unpack_from('<IIIQ', data, 12)
    newest = 2 if kind in ('obb', 'kdop') else 1
    require(1 <= version <= newest, f'a version of {kind} up to {newest}, which this reader knows, not {version}')
    require(total == len(data), f'{total} bytes, not {len(data)}')
    limit = len(data) - (4 if version == 2 else 32)
    start = 32 + 32 * count
    end = start + length
    require(count <= 256 and length <= 1 << 24 and end <= limit, 'a table and a header within the file')
    sections = {}
    for entry in range(32, start, 32):
        name, code, offset, size = struct.unpack_from('<12s4sQQ', data, entry)
        name, code = (text.rstrip(b'\0').decode('latin-1') for text in (name, code))
        require(re.fullmatch('[a-z0-9-]{1,12}', name) and name not in sections, 'a name that no other section has')
        require(code in TYPES, f'a type of {", ".join(TYPES)}, not {code}')
        require(offset == (end + 63) // 64 * 64 and not any(data[end:offset]), f'section {name} at a multiple of 64')
        end = offset + size * np.dtype(TYPES[code]).itemsize
        require(end <= limit, f'section {name} within the file')
        sections[name] = np.frombuffer(data, TYPES[code], size, offset)
    require(end == limit, 'the checksum behind the last section')
    content = memoryview(data)[:limit]
    found = struct.pack('<I', zlib.crc32(content)) if version == 2 else hashlib.sha256(content).digest()
    require(found == data[limit:], 'the checksum of the bytes before: the file is damaged')
    return Blob(kind, version, parse_header(data[start:start + length]), sections)


def parse_header(text):
    try:
        header = json.loads(text.decode('utf-8'), parse_constant=lambda name: require(False, f'JSON, not {name}'))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise FormatError(f'expected JSON: {error}') from None
    require(isinstance(header, dict), 'a JSON object')
    return header


# ---- Meshes and trees over them ----

LARGEST_COORDINATE = 1e100


def read_mesh(blob, largest=LARGEST_COORDINATE, least=1):
    """Vertices as rows of doubles, and triangles as rows of their numbers."""
    vertices, triangles = (blob.whole(name, least, 1 << 30) for name in ('vertices', 'triangles'))
    positions = blob.section('positions', 'f4', 'f8', count=3 * vertices).astype(np.float64)
    corners = blob.section('triangles', 'u4', count=3 * triangles)
    require(np.all(np.abs(positions) <= largest), f'coordinates up to {largest}')
    require(np.all(corners < vertices), f'vertex numbers below {vertices}')
    return positions.reshape(-1, 3), corners.reshape(-1, 3)


@dataclass
class Boxes:
    """Boxes: all points x with low <= u <= high, where u is R^T ((x - origin) - centre).

    The columns of R are a box's axes. All arrays but the origin have a row a box.
    """
    rotation: np.ndarray
    origin: np.ndarray
    centre: np.ndarray
    low: np.ndarray
    high: np.ndarray

    def holds(self, points):
        """Whether each box holds its point; in doubles, without a tolerance.

        FORMAT.md says why that is so of the corners of all triangles below a box.
        """
        d = (points - self.origin) - self.centre
        r = self.rotation
        u = np.stack([r[:, 0, i] * d[:, 0] + r[:, 1, i] * d[:, 1] + r[:, 2, i] * d[:, 2] for i in range(3)], axis=1)
        return np.all((self.low <= u) & (u <= self.high), axis=1)

    def take(self, rows):
        return Boxes(self.rotation[rows], self.origin, self.centre[rows], self.low[rows], self.high[rows])


def check_tree(tree, nodes, deepest):
    """That every node and triangle is reached once, and none lies too deep."""
    total = len(tree.triangles)
    seen_nodes, seen_triangles = np.zeros(nodes, bool), np.zeros(total, bool)
    for node, triangle, depth, _, _ in tree.walk():
        require(depth <= deepest, f'a tree of at most {deepest} levels')
        if node != NONE:
            require(node < nodes and not seen_nodes[node], 'every node once')
            seen_nodes[node] = True
        if triangle != NONE:
            require(triangle < total and not seen_triangles[triangle], 'every triangle once')
            seen_triangles[triangle] = True
    require(seen_nodes.all() and seen_triangles.all(), 'every node and every triangle in the tree')


class Tree:
    """What OBB trees and k-DOP trees have in common: `root` and `children` of items.

    An item is a tuple of a node, a triangle, and what finding its children takes; NONE stands for
    a node or a triangle that it has not.
    """
    node_bytes = 0

    def walk(self):
        """Yields node, triangle, depth, parent and slot of all items, depth first.

        Parent and slot say where nodes of 64 bytes have a box for it; NONE elsewhere.
        """
        stack = [(self.root(), 0, NONE, NONE)]
        while stack:
            item, depth, parent, slot = stack.pop()
            yield item[0], item[1], depth, parent, slot
            if item[1] != NONE:
                continue
            children = self.children(item)
            wide = self.node_bytes == 64
            for j in reversed(range(len(children))):
                stack.append((children[j], depth + 1, item[0] if wide else NONE, j if wide else NONE))


# ---- OBB trees ----

WIDE = np.dtype([('rows', [('f', '<i2', 3), ('g', '<u2')], 3), ('centre', '<f4', 3), ('link', '<u4'),
                 ('low', 'u1', (3, 4)), ('high', 'u1', (3, 4))])
FLOAT = np.dtype([('q', '<f4', 3), ('centre', '<f4', 3), ('half', '<f4', 3), ('word', '<u4')])
SHORT = np.dtype([('q', '<i2', 3), ('centre', '<i2', 3), ('half', '<u2', 3), ('word', '<u2')])


class ObbTree(Tree):
    """Triangles under a tree of oriented boxes."""

    def __init__(self, blob):
        self.header, self.version = blob.header, blob.version
        self.node_bytes = blob.whole('nodeBytes', 20, 64)
        require(self.node_bytes in (40, 20, 64), 'nodeBytes, 40, 20 or 64')
        self.origin = blob.numbers('origin', 3, -LARGEST_COORDINATE, LARGEST_COORDINATE)
        self.scale = blob.numbers('scale', 2, 5e-324, LARGEST_COORDINATE)
        self.vertices, self.triangles = read_mesh(blob)
        total = len(self.triangles)
        layout = {40: FLOAT, 20: SHORT, 64: WIDE}[self.node_bytes]
        words = {40: 10 * (2 * total - 1), 20: 10 * max(1, total - 1), 64: None}[self.node_bytes]
        section = blob.section('nodes', 'u2' if self.node_bytes == 20 else 'u4', count=words)
        require(section.nbytes > 0 and section.nbytes % self.node_bytes == 0, 'whole nodes, one at least')
        self.nodes = section.view(layout)
        self.order = None if self.node_bytes == 40 else blob.section('order', 'u4', count=total)
        self._check()

    def _check(self):
        if self.order is not None:
            require(np.all(self.order < len(self.triangles)), 'triangle numbers in the order')
        boxes = self.boxes()
        if self.node_bytes == 64:
            self._check_wide()
        else:
            q = self._quaternions()
            require(np.all(q[:, 0] * q[:, 0] + q[:, 1] * q[:, 1] + q[:, 2] * q[:, 2] <= 1), 'quaternions of length 1')
            most = 4 * LARGEST_COORDINATE
            require(np.all((np.abs(boxes.centre) <= most) & (boxes.high >= 0) & (boxes.high <= most)), 'boxes')
        check_tree(self, len(self.nodes), 65 if self.node_bytes == 64 else 256)

    def _check_wide(self):
        f = self.nodes['rows']['f'].astype(np.int64)
        products = sum(f[:, k, :, None] * f[:, k, None, :] for k in range(3)) / 32767 ** 2
        require(np.all(np.abs(products - np.eye(3)) <= 2.0 ** -14), 'three unit axes at right angles')
        most = 2.0 ** 126
        boxes = self.boxes()
        require(np.all(np.abs(boxes.centre) <= most), 'centres')
        require(np.all((self.nodes['rows']['g'] < 0x8000) & (boxes.high <= most)), 'half extents')
        absent = (np.arange(4) > (self.nodes['link'] >> 1 & 3)[:, None])[:, None, :]
        require(np.all(np.where(absent, (self.nodes['low'] == 255) & (self.nodes['high'] == 0), True)),
                'no boxes of children that are not there')

    def _quaternions(self):
        unit = 1 if self.node_bytes == 40 else 1 / 32767
        return self.nodes['q'].astype(np.float64) * unit

    def boxes(self):
        """The boxes of all nodes, in their order."""
        if self.node_bytes == 64:
            half = self._wide_half().astype(np.float64)
            rotation = self.nodes['rows']['f'] / 32767
            return Boxes(rotation, self.origin, self.nodes['centre'].astype(np.float64), -half, half)
        q = self._quaternions()
        steps = (1, 1) if self.node_bytes == 40 else self.scale
        centre = self.origin + self.nodes['centre'].astype(np.float64) * steps[0]
        half = self.nodes['half'].astype(np.float64) * steps[1]
        return Boxes(rotations(q[:, 0], q[:, 1], q[:, 2]), np.zeros(3), centre, -half, half)

    def _wide_half(self):
        return (self.nodes['rows']['g'].astype(np.uint32) << 16).view(np.float32)

    def child_boxes(self):
        """With nodes of 64 bytes, the boxes that node i has for its children, in rows 4 i to 4 i + 3."""
        require(self.node_bytes == 64, 'nodes of 64 bytes')
        half = self._wide_half()
        step = half * np.float32(2 / 255)
        low, high = (np.swapaxes(self.nodes[name].astype(np.float32) * step[:, :, None] - half[:, :, None], 1, 2)
                     .reshape(-1, 3).astype(np.float64) for name in ('low', 'high'))
        whole = self.boxes()
        return Boxes(np.repeat(whole.rotation, 4, axis=0), self.origin, np.repeat(whole.centre, 4, axis=0), low, high)

    def root(self):
        return self._node(0, 0, len(self.triangles))

    def _node(self, node, first, count):
        if self.node_bytes == 40 and self.nodes['word'][node] & 1:
            return node, int(self.nodes['word'][node]) >> 1, 0, 0
        if self.node_bytes == 20 and count == 1:
            return node, int(self.order[first]), first, count
        return node, NONE, first, count

    def _in_order(self, place):
        return NONE, int(self.order[place]), place, 1

    def children(self, item):
        """The children of an item that is no triangle."""
        node, _, first, count = item
        if self.node_bytes == 64:
            link = int(self.nodes['link'][node])
            index, end = link >> 3, (link >> 3) + (link >> 1 & 3) + 1
            if link & 1:
                require(end <= len(self.triangles), 'places within the order')
                return [self._in_order(place) for place in range(index, end)]
            require(node < index and end <= len(self.nodes), 'children after their parent')
            return [self._node(child, 0, 0) for child in range(index, end)]
        word = int(self.nodes['word'][node])
        if self.node_bytes == 40:
            require(node < word >> 1 and (word >> 1) + 1 < len(self.nodes), 'children after their parent')
            return [self._node((word >> 1) + k, 0, 0) for k in (0, 1)]
        require(count <= 65535 or word == 0, 'no number of triangles in a node of more than 65535')
        p = word if count <= 65535 else (count + 1) >> 1
        require(1 <= p < count, 'a positive child of fewer triangles')
        return [self._node(node + 1, first, p) if p > 1 else self._in_order(first),
                self._node(node + p, first + p, count - p) if count - p > 1 else self._in_order(first + p)]

    def test_boxes(self):
        """Tests every corner of every triangle in every box above it: how many tests, how many fail."""
        above, stacks = [[], []], [[]]
        rows = [[], []]
        for node, triangle, depth, parent, slot in self.walk():
            del stacks[depth + 1:]
            own = list(stacks[depth])
            if slot != NONE:
                own.append((1, 4 * parent + slot))
            if node != NONE:
                own.append((0, node))
            stacks.append(own)
            for which, box in own if triangle != NONE else ():
                above[which].append(box)
                rows[which].append(triangle)
        tests = fails = 0
        for which, boxes in enumerate((self.boxes, self.child_boxes)):
            if not rows[which]:
                continue
            chosen = boxes().take(np.array(above[which]))
            for corner in range(3):
                held = chosen.holds(self.vertices[self.triangles[rows[which], corner]])
                tests, fails = tests + held.size, fails + int(np.count_nonzero(~held))
        return tests, fails

    def describe(self):
        tests, fails = self.test_boxes()
        return (f'OBB tree: {len(self.triangles)} triangles, {len(self.vertices)} vertices, {len(self.nodes)} nodes of '
                f'{self.node_bytes} bytes; {tests} tests of a corner in a box above it, {fails} fail', fails)


def rotations(x, y, z):
    """The rotations of unit quaternions whose w is not stored, as FORMAT.md computes them."""
    n = x * x + y * y + z * z
    w = np.sqrt(np.where(n < 1, 1 - n, 0))
    rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


# ---- k-DOP trees ----

AXES = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
CORNERS = [(1, 1, 1), (1, 1, -1), (1, -1, 1), (-1, 1, 1)]
EDGES = [(1, 1, 0), (1, 0, 1), (0, 1, 1), (1, -1, 0), (1, 0, -1), (0, 1, -1)]
HALVES = {6: AXES, 14: AXES + CORNERS, 18: AXES + EDGES, 24: AXES + CORNERS[:3] + EDGES, 26: AXES + CORNERS + EDGES}


class KdopTree(Tree):
    """Triangles under a tree of polytopes with k given directions.

    Every point x below node i has directions @ (x - origin) <= coefficients[i] * quantum, exactly.
    """

    def __init__(self, blob):
        self.header, self.version = blob.header, blob.version
        self.k = blob.whole('k', 6, 26)
        require(self.k in HALVES, 'k, 6, 14, 18, 24 or 26')
        self.bits = blob.whole('bits', 8, 36)
        self.quantum = 2.0 ** (blob.whole('exponent', -900, 340) - self.bits + 1)
        self.origin = blob.numbers('origin', 3, -LARGEST_COORDINATE, LARGEST_COORDINATE)
        self.vertices, self.triangles = read_mesh(blob)
        nodes = 2 * len(self.triangles) - 1
        self.links = blob.section('links', 'u4', count=nodes)
        self.coefficients = self._numbers(blob, self.k * nodes).reshape(nodes, self.k)
        half = np.array(HALVES[self.k], dtype=np.float64)
        x, y, z = half.T
        half = half / np.sqrt(x * x + y * y + z * z)[:, None]
        self.directions = np.concatenate([half, 0 - half])
        most = (1 << (self.bits - 1)) - 1
        require(np.all(self.coefficients >= -most), f'coefficients from {-most}')
        opposite = self.coefficients[:, :self.k // 2] + self.coefficients[:, self.k // 2:]
        require(np.all(opposite >= 0), 'opposite coefficients whose sum is not negative')
        check_tree(self, nodes, 128)

    def _numbers(self, blob, count):
        if self.bits in (16, 32):
            return blob.section('coefficients', f'i{self.bits // 8}', count=count).astype(np.int64)
        stream = blob.section('coefficients', 'u1', count=(count * self.bits + 7) // 8)
        rest = count * self.bits % 8
        require(rest == 0 or stream[-1] >> rest == 0, 'zeros after the last coefficient')
        padded = np.concatenate([stream, np.zeros(6, np.uint8)])
        first = np.arange(count, dtype=np.int64) * self.bits
        value = np.zeros(count, dtype=np.int64)
        for byte in range(6):
            value |= padded[first // 8 + byte].astype(np.int64) << 8 * byte
        value = value >> first % 8 & (1 << self.bits) - 1
        return np.where(value >= 1 << (self.bits - 1), value - (1 << self.bits), value)

    def root(self):
        return self._node(0)

    def _node(self, node):
        link = int(self.links[node])
        return (node, link >> 1) if link & 1 else (node, NONE)

    def children(self, item):
        first = int(self.links[item[0]]) >> 1
        require(item[0] < first and first + 1 < len(self.links), 'children after their parent')
        return [self._node(first), self._node(first + 1)]

    def describe(self):
        return (f'k-DOP tree: {len(self.triangles)} triangles, {len(self.vertices)} vertices, {len(self.links)} nodes of '
                f'{self.k} numbers of {self.bits} bits', 0)


# ---- Cubes ----


def every_third(code, axis, count):
    """The number that bits `axis`, `axis` + 3, ... of a Morton code are."""
    return sum((code >> np.uint64(3 * n + axis) & np.uint64(1)).astype(np.int64) << n for n in range(count))


class Cubes:
    """The cells of a grid that hold a point of a model."""

    def __init__(self, blob):
        self.header, self.version = blob.header, blob.version
        precision = blob.header.get('precision')
        require(is_number(precision) and 1e-100 <= precision <= 1e100, 'precision, a length')
        self.precision = float(precision)
        bricks = blob.whole('bricks', 1, 1 << 27)
        keys = blob.section('keys', 'u4', count=2 * bricks).reshape(-1, 2).astype(np.uint64)
        masks = blob.section('masks', 'u4', count=2 * bricks).reshape(-1, 2).astype(np.uint64)
        require(np.all(keys < 1 << 30), 'keys of 30 bits a word')
        self.keys = keys[:, 0] | keys[:, 1] << np.uint64(30)
        self.masks = masks[:, 0] | masks[:, 1] << np.uint64(32)
        require(np.all(self.keys[1:] > self.keys[:-1]), 'ascending keys')
        require(np.all(self.masks != 0), 'cubes in every brick')
        require(self._bits().sum() == blob.whole('cubes', 1, (1 << 31) - 1), 'as many cubes as the header says')

    def _bits(self):
        """A row of 64 bits, 0 or 1, a brick."""
        masks = self.masks.astype('<u8').view(np.uint8).reshape(-1, 8)
        return np.unpackbits(masks, axis=1, bitorder='little')

    def cells(self):
        """x, y, z of every cell, whole numbers, in the order of the cubes' numbers."""
        brick, bit = np.nonzero(self._bits())
        key, bit = self.keys[brick], bit.astype(np.uint64)
        return np.stack([4 * (every_third(key, axis, 20) - (1 << 19)) + every_third(bit, axis, 2) for axis in range(3)],
                        axis=-1)

    def low(self):
        """The least coordinates in every cell; those in it are below `precision` times the next number."""
        return self.cells() * self.precision

    def describe(self):
        return f'cubes: {len(self.cells())} of {self.precision} in {len(self.keys)} bricks', 0


BLOBS = {'obb': ObbTree, 'kdop': KdopTree, 'voxl': Cubes}


# ---- Geometry images ----

ROLES = ('geometry', 'normals', 'spheres', 'deviation', 'slabs')
LARGEST_LENGTH = 1e110
CHANNELS = {'geometry': 3, 'normals': 3, 'spheres': 4, 'deviation': 1, 'slabs': 4}


@dataclass
class Group:
    """Charts of one size, N = 2^n + 1: samples as stored, by role; those of chart k are in row k."""
    size: int
    charts: int
    pages: dict
    radius_steps: list
    deviation_step: float

    def level(self, role, level):
        """The pixels of a level's nodes, of all charts: row and column of a node are those of the array."""
        side = self.size - 1
        page = self.pages[role]
        if 1 << level == side:
            return page[:, :side, :side]
        top = side - (2 << level)
        return page[:, top:top + (1 << level), side:side + (1 << level)]


class GeometryImage:
    """A surface as charts of samples. Pages that a file has none of are missing in `groups`, too."""

    def __init__(self, header, groups, source):
        self.header = header
        self.origin = np.array(header['origin'], dtype=np.float64)
        self.step = float(header['step'])
        self.groups = groups
        self.source = source  # vertices, triangles, counts and items, or None
        self.vertices = np.concatenate([self._decoded(group.pages['geometry']).reshape(-1, 3) for group in groups])
        self.triangles = self._triangles()

    def _decoded(self, samples):
        return self.origin + samples.astype(np.float64) * self.step

    def _triangles(self):
        parts, first = [], 0
        for group in self.groups:
            q = group.pages['geometry'].astype(np.int64)
            numbers = first + np.arange(q.size // 3, dtype=np.int64).reshape(q.shape[:3])
            first += numbers.size
            a, b, c, d = (numbers[:, i:i + group.size - 1, j:j + group.size - 1] for i in (0, 1) for j in (0, 1))
            def squared(difference):
                return np.sum(difference * difference, axis=-1)
            is_along_ad = (squared(q[:, :-1, :-1] - q[:, 1:, 1:]) <= squared(q[:, :-1, 1:] - q[:, 1:, :-1]))[..., None]
            along_ad = np.stack([a, d, c, a, b, d], axis=-1)
            along_bc = np.stack([a, b, c, b, d, c], axis=-1)
            parts.append(np.where(is_along_ad, along_ad, along_bc).reshape(-1, 3))
        return np.concatenate(parts).astype(np.uint32)

    def spheres(self, group, level):
        """Centres and radii of a level's nodes: level 0 is the charts' roots, level n their quads."""
        pixels = self.groups[group].level('spheres', level)
        return self._decoded(pixels[..., :3]), pixels[..., 3] * float(self.groups[group].radius_steps[level])

    def slabs(self, group, level):
        """Normals of a level's nodes, whole numbers of any length, and the two planes along the unit normal.

        Every vertex p of the node has low <= n . (p - centre of the sphere) <= high.
        """
        pixels = self.groups[group].level('slabs', level).astype(np.int64)
        x, y = pixels[..., 0] - 32767, pixels[..., 1] - 32767
        z = 32767 - np.abs(x) - np.abs(y)
        folded = z < 0
        x, y = (np.where(folded, (32767 - np.abs(other)) * np.where(own < 0, -1, 1), own) for own, other in ((x, y), (y, x)))
        _, radius = self.spheres(group, level)
        low, high = ((pixels[..., k] - 32768) / 32766 * radius for k in (2, 3))
        return np.stack([x, y, z], axis=-1), low, high

    def describe(self):
        charts = ', '.join(f'{group.charts} of {group.size} x {group.size}' for group in self.groups)
        return (f'geometry image: charts {charts}; {len(self.vertices)} vertices, {len(self.triangles)} triangles; '
                f'pages {", ".join(self.groups[0].pages)}', 0)


def shape_of(role, size):
    """Height and width of a chart's part of a page."""
    side = size - 1
    if role in ('geometry', 'normals'):
        return size, size
    return side, max(1, 3 * side // 2)


def read_image(data):
    """The geometry image of a TIFF with a header of gicollide."""
    directories = read_directories(data)
    text = directories[0].get(270, b'').split(b'\0')[0].decode('latin-1')
    header = image_header(text)
    groups = header.get('groups') if header['version'] > 1 else [
        {'size': header.get('size'), 'charts': 1, 'radiusSteps': header.get('radiusSteps')}]
    roles = check_image_header(header, groups)
    require(len(header['pages']) == len(directories), 'the pages that the header lists')
    read_groups = []
    for g, group in enumerate(groups):
        pages = {}
        for k, role in enumerate(roles):
            index = g * len(roles) + k
            samples = read_page(data, directories[index], CHANNELS[role])
            digest = hashlib.sha256(samples.astype('<u2').tobytes()).hexdigest()
            require(header['pages'][index]['sha256'] == digest, f'a {role} page with the digest that the header states')
            pages[role] = unpack_charts(samples, group['charts'], shape_of(role, group['size']))
        read_groups.append(Group(group['size'], group['charts'], pages, group.get('radiusSteps', []),
                                 group.get('deviationStep', 0)))
    return GeometryImage(header, read_groups, read_source(directories[0].get(65012), header))


def image_header(text):
    """The JSON of the first page's ImageDescription, held to its digest."""
    require('gicollide' in text, 'a header of gicollide in ImageDescription')
    header = parse_header(text.encode('latin-1'))
    require(header.get('format') == 'gicollide geometry image', 'a header of format "gicollide geometry image"')
    require(header.get('version') in (1, 2, 3, 4), f'version 1 to 4, not {header.get("version")}')
    # The digest is of the text before it, as it was before characters were escaped.
    parts = re.fullmatch(r'(\{.*),"sha256":"([0-9a-f]{64})"\}', text, re.DOTALL)
    require(parts, 'a digest at the end of the header')
    plain = re.sub(r'((?:\\u[0-9a-f]{4})+)|\\.', unescaped, parts[1] + '}')
    require(hashlib.sha256(plain.encode('utf-8', 'surrogatepass')).hexdigest() == parts[2], 'the digest of the header')
    return header


def check_image_header(header, groups):
    """That the fields that are read have the types and lengths that they should; the roles of a group's pages."""
    def are_numbers(values, count, least):
        return isinstance(values, list) and len(values) == count and all(
            is_number(value) and least <= value <= LARGEST_LENGTH for value in values)
    require(are_numbers([header.get('step')], 1, 1e-110), 'step, a length, in the header')
    require(are_numbers(header.get('origin'), 3, -LARGEST_LENGTH), 'origin, three coordinates, in the header')
    require(max(map(abs, header['origin'])) <= 2.0 ** 36 * 65536 * header['step'], 'an origin within 2^36 extents of 0')
    pages = header.get('pages')
    require(isinstance(groups, list) and groups and isinstance(pages, list) and all(
        isinstance(page, dict) and page.get('role') in ROLES for page in pages), 'groups and pages in the header')
    roles = [page['role'] for page in pages[:len(pages) // len(groups)]]
    require([page['role'] for page in pages] == roles * len(groups) and 'geometry' in roles, 'pages of every role')
    for group in groups:
        require(isinstance(group, dict) and group.get('size') in [(1 << n) + 1 for n in range(14)], 'sizes, 2^n + 1')
        charts = group.get('charts')
        require(is_number(charts) and charts == int(charts) and 1 <= charts <= 1 << 30, 'a number of charts')
        levels = (group['size'] - 1).bit_length()
        require('spheres' not in roles or are_numbers(group.get('radiusSteps'), levels, 0), f'{levels} radiusSteps')
    return roles


def unescaped(match):
    """Escaped characters as they were, but for those that JSON.stringify escapes itself."""
    if not match[1]:
        return match[0]
    codes = [int(code, 16) for code in match[1].split('\\u')[1:]]
    units = b''.join(struct.pack('<H', code) for code in codes)
    text = units.decode('utf-16-le', 'surrogatepass')
    return ''.join(c if ord(c) > 0x7e and not 0xd800 <= ord(c) < 0xe000 else f'\\u{ord(c):04x}' for c in text)


def unpack_charts(page, count, shape):
    """The charts of a page, which stand side by side, in as many columns as the root of their number, rounded up."""
    height, width = shape
    columns = 1
    while columns * columns < count:
        columns += 1
    rows = -(-count // columns)
    require(page.shape[:2] == (rows * height, columns * width), f'a page of {columns * width} by {rows * height}')
    charts = page.reshape(rows, height, columns, width, -1).swapaxes(1, 2)
    return charts.reshape(rows * columns, height, width, -1)[:count]


def read_source(attachment, header):
    """The triangles of the mesh file, where the image keeps them: those listed for each quad, in turn."""
    if attachment is None or 'embedded' not in header:
        require('embedded' not in header, 'the source that the header speaks of')
        return None
    require(hashlib.sha256(attachment).hexdigest() == header['embedded']['sha256'], 'the digest of the source')
    blob = read_blob(attachment)
    vertices, triangles = read_mesh(blob, LARGEST_LENGTH, 0)
    counts, items = blob.section('counts', 'u2', 'u4'), blob.section('items', 'u4')
    require(counts.sum(dtype=np.int64) == items.size and np.all(items < len(triangles)), 'lists of triangles')
    return vertices, triangles, counts, items


# ---- TIFF 6.0, as far as geometry images go ----


def read_directories(data):
    """The tags of each page: numbers as tuples, text and bytes as bytes; 'order' is that of its bytes."""
    order = '<' if data[:2] == b'II' else '>'
    require(len(data) >= 8 and struct.unpack_from(order + 'H', data, 2)[0] == 42, 'a TIFF')
    directories, at = [], struct.unpack_from(order + 'I', data, 4)[0]
    while at:
        require(len(directories) < 64 and at + 2 <= len(data), 'directories within the file')
        count = struct.unpack_from(order + 'H', data, at)[0]
        require(at + 6 + 12 * count <= len(data), 'a directory within the file')
        tags = {'order': order}
        for entry in range(at + 2, at + 2 + 12 * count, 12):
            tag, code, size = struct.unpack_from(order + 'HHI', data, entry)
            if code not in (2, 3, 4, 7):
                continue
            letter = {2: 's', 3: 'H', 4: 'I', 7: 's'}[code]
            length = size * {'s': 1, 'H': 2, 'I': 4}[letter]
            place = entry + 8 if length <= 4 else struct.unpack_from(order + 'I', data, entry + 8)[0]
            require(place + length <= len(data), f'the values of tag {tag} within the file')
            values = struct.unpack_from(f'{order}{size}{letter}', data, place)
            tags[tag] = values[0] if letter == 's' else values
        directories.append(tags)
        at = struct.unpack_from(order + 'I', data, at + 2 + 12 * count)[0]
    require(directories, 'a page')
    return directories


def read_page(data, tags, channels):
    """The samples of a page: an array of rows, columns and channels."""
    def tag(number, default=None):
        values = tags.get(number, default)
        require(values is not None and len(values) > 0, f'tag {number}')
        return values
    width, height = tag(256)[0], tag(257)[0]
    require(tag(277, (1,))[0] == channels and set(tag(258)) == {16}, f'{channels} samples of 16 bits a pixel')
    require(0 < width <= 1 << 20 and 0 < height <= 1 << 20, 'a width and a height')
    is_tiled = 322 in tags
    across, down = (tag(322)[0], tag(323)[0]) if is_tiled else (width, min(height, tag(278, (height,))[0]))
    require(across > 0 and down > 0, 'blocks of pixels')
    offsets, lengths = (tag(324), tag(325)) if is_tiled else (tag(273), tag(279))
    columns, rows = -(-width // across), -(-height // down)
    require(len(offsets) == len(lengths) == columns * rows, 'as many blocks as the page has')
    require(width * height <= 1 << 22 or width * height * channels <= 1100 * len(data), 'a page that its bytes can hold')
    page = np.zeros((height, width, channels), dtype=np.uint16)
    for index, (offset, length) in enumerate(zip(offsets, lengths)):
        require(offset + length <= len(data), 'blocks within the file')
        top, left = index // columns * down, index % columns * across
        stored = down if is_tiled else min(down, height - top)
        block = decompress(data[offset:offset + length], tag(259, (1,))[0], stored * across * channels * 2)
        samples = np.frombuffer(block, tags['order'] + 'u2').reshape(stored, across, channels)
        if tag(317, (1,))[0] == 2:
            samples = np.cumsum(samples, axis=1, dtype=np.uint16)  # differences to the pixel before
        page[top:top + stored, left:left + across] = samples[:height - top, :width - left]
    return page


def decompress(block, compression, size):
    require(compression in (1, 5, 8, 32946), 'a page that is uncompressed, or under Deflate or LZW')
    if compression == 5:
        block = unpack_lzw(block, size)
    elif compression != 1:
        try:
            block = zlib.decompressobj().decompress(block, size + 1)
        except zlib.error as error:
            raise FormatError(f'expected a Deflate stream: {error}') from None
    require(len(block) == size, f'{size} bytes in a block')
    return block


def unpack_lzw(block, size):
    """T. Welch's codes, as section 13 of TIFF 6.0 has them: highest bit first, one code early."""
    out, table, previous = bytearray(), [], b''
    bits = count = at = 0
    width = 9
    while len(out) < size:
        while count < width:
            require(at < len(block), 'more codes')
            bits, count, at = bits << 8 | block[at], count + 8, at + 1
        code, count = bits >> (count - width), count - width
        bits &= (1 << count) - 1
        if code == 256:
            table = [bytes([i]) for i in range(256)] + [b'', b'']
            width, previous = 9, b''
            continue
        require(code != 257 and table and (code < len(table) or code == len(table) and previous), 'a code of LZW')
        entry = table[code] if code < len(table) else previous + previous[:1]
        out += entry
        if previous:
            table.append(previous + entry[:1])
        previous = entry
        width = 9 + (len(table) >= 511) + (len(table) >= 1023) + (len(table) >= 2047)
    return bytes(out)


def main(paths):
    status = 0
    for path in paths:
        try:
            text, fails = read(path).describe()
        except (FormatError, OSError) as error:
            print(f'{path}: {error}', file=sys.stderr)
            return 2
        print(f'{path}: {text}')
        status = 1 if fails else status
    return status


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
