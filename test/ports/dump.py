"""Prints what ports/python/gicollide.py reads as JSON, in the words of test/support/decoded.ts: dump.py FOLDER FILE...

A line a file; {"refused": why} where it is not read.
"""
import json
import sys

import numpy as np

sys.path.insert(0, sys.argv[1])
import gicollide  # noqa: E402


def flat(array):
    return np.asarray(array).reshape(-1).tolist()


def rows(boxes):
    return [{'rotation': flat(boxes.rotation[i]), 'origin': flat(boxes.origin), 'centre': flat(boxes.centre[i]),
             'low': flat(boxes.low[i]), 'high': flat(boxes.high[i])} for i in range(len(boxes.centre))]


def levels(image):
    for g, group in enumerate(image.groups):
        for chart in range(group.charts if 'spheres' in group.pages else 0):
            for level in range(len(group.radius_steps)):
                centres, radii = image.spheres(g, level)
                found = {'centres': flat(centres[chart]), 'radii': flat(radii[chart]), 'normals': [], 'planes': []}
                if 'slabs' in group.pages:
                    normals, low, high = image.slabs(g, level)
                    found['normals'] = flat(normals[chart])
                    found['planes'] = flat(np.stack([low[chart], high[chart]], axis=-1))
                yield found


def decoded(asset):
    if isinstance(asset, gicollide.Cubes):
        return {'kind': 'voxel', 'version': asset.version, 'precision': asset.precision, 'bricks': len(asset.keys),
                'cells': flat(asset.cells())}
    mesh = {'vertices': flat(asset.vertices), 'triangles': flat(asset.triangles)}
    if isinstance(asset, gicollide.GeometryImage):
        return {'kind': 'gi', **mesh, 'levels': list(levels(asset))}
    walk = [[node, triangle, depth, 0] for node, triangle, depth, _, _ in asset.walk()]
    if isinstance(asset, gicollide.KdopTree):
        return {'kind': 'kdop', 'version': asset.version, **mesh, 'k': asset.k, 'bits': asset.bits, 'quantum': asset.quantum,
                'origin': flat(asset.origin), 'directions': flat(asset.directions),
                'coefficients': flat(asset.coefficients), 'walk': walk}
    slots = rows(asset.child_boxes()) if asset.node_bytes == 64 else []
    return {'kind': 'obb', 'version': asset.version, **mesh, 'nodeBytes': asset.node_bytes, 'boxes': rows(asset.boxes()),
            'slots': slots, 'walk': walk}


for path in sys.argv[2:]:
    try:
        print(json.dumps(decoded(gicollide.read(path))))
    except gicollide.FormatError as error:
        print(json.dumps({'refused': str(error)}))
