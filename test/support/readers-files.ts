/** A file for each warning that a reader has: the text that the warning must have, and the file. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { daeOf, geometryOf, trianglesText } from './collada.ts';
import { gltfDraft } from './glb.ts';
import { ifcWriter } from './ifc.ts';
import { BOX, cornersOf, offOf, ply, stlBinary, stlText } from './mesh-files.ts';
import { boxText } from './shapes.ts';

export interface WarnedFile {
  name: string;
  warnings: RegExp[];
  bytes: Uint8Array | string;
}

const joined = (...parts: Uint8Array[]): Uint8Array => Uint8Array.from(parts.flatMap((part) => [...part]));

/** Two boxes apart, with lines, a curve and an object without faces. */
const OBJ: WarnedFile = {
  name: 'lines.obj',
  warnings: [
    /^1 line and 1 point skipped: /,
    /^1 free-form curve skipped: /,
    /^1 object without faces left out: wire$/,
  ],
  bytes: `${boxText('a', 0)}${boxText('b', 5, 8)}o wire\nl 1 2\np 3\ncurv 0 1 1 2\n`,
};

const behind = joined(stlBinary(cornersOf(BOX)), new Uint8Array(84));

function glb(): Uint8Array {
  const draft = gltfDraft();
  const { json } = draft;
  const corners = draft.accessor(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0), 'VEC3');
  const triangle = { attributes: { POSITION: corners } };
  draft.mesh(triangle, { name: 'plain' });
  draft.mesh({ ...triangle, targets: [{ POSITION: corners }] }, { name: 'morphing' });
  draft.mesh({ ...triangle, mode: 1, indices: draft.accessor(Uint16Array.of(0, 1), 'SCALAR') }, { name: 'wire' });
  json.nodes[0].matrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 0, 0, 1 + 2 ** -20];
  json.nodes[1].skin = 0;
  json.nodes.push({ mesh: 0, name: 'elsewhere' });
  json.meshes.push({ primitives: [triangle], name: 'nowhere' });
  Object.assign(json, {
    skins: [{ joints: [0] }],
    animations: [{ channels: [], samplers: [] }],
  });
  return joined(draft.glb(), new Uint8Array(12));
}

function ifc(): string {
  const w = ifcWriter();
  const wall = (name: string, shape: string, kind = 'IFCWALL'): string =>
    w.product(kind, { name, placement: w.placement([0, 0, 0]), shape, more: '$' });
  wall('whole', w.shape([w.box([1, 1, 1])]));
  wall('far', w.shape([w.box([1, 1, 1], [9, 0, 0])]));
  wall('axis', w.shape([w.box([1, 1, 1])], 'Curve3D', 'Axis'));
  w.product('IFCWALL', { name: 'bare', placement: w.placement([0, 0, 0]), more: '$' });
  w.product('IFCANNOTATION', { name: 'mark', placement: w.placement([0, 0, 0]), shape: w.shape([w.box([1, 1, 1])]) });
  const open = [
    [0, 0, 0],
    [1, 0, 0],
    [0, 1, 0],
  ];
  wall('open', w.shape([w.solid(open, [[0, 1, 2]])], 'Tessellation'));
  // Without its unit, and with a GlobalId twice.
  return w
    .text()
    .replace(/IFCSIUNIT\(\*,\.LENGTHUNIT\.,\.MILLI\.,\.METRE\.\)/, 'IFCSIUNIT(*,.TIMEUNIT.,$,.SECOND.)')
    .replace(/'(1\d{21})'(,\$,'far')/, (_, id: string, rest: string) => `'${previous(id)}'${rest}`);
}

const previous = (id: string): string => id.slice(0, -1) + String(Number(id.at(-1)) - 1);

const LINK = '<collision><geometry><box size="1 1 1"/></geometry></collision>';
const joint = (child: string, type = 'fixed', x = 0, inside = ''): string =>
  `<joint name="to-${child}" type="${type}"><parent link="base"/><child link="${child}"/>` +
  `<origin xyz="${x} 0 0"/>${inside}</joint>`;
const URDF = `<robot name="r"><link name="base">${LINK}</link>
<link name="shown"><visual><geometry><sphere radius="1"/></geometry></visual></link>
<link name="flat"><collision><geometry><box size="0 0 0"/></geometry></collision></link>
<link name="tool"><collision><geometry><mesh filename="behind.stl"/></geometry></collision></link>
${joint('shown')}${joint('flat', 'planar', 0, '<axis xyz="1 0 0"/>')}${joint('tool', 'fixed', 9)}</robot>`;

function collada(): string {
  const triangle = [
    [0, 0, 0],
    [1, 0, 0],
    [0, 1, 0],
  ];
  const faces = trianglesText([[0, 1, 2]]).replace('count="1"', 'count="0"');
  const geometries = [
    geometryOf('g', triangle, faces),
    geometryOf('l', triangle, '<lines count="1">INPUT<p>0 1</p></lines>'),
    geometryOf('o', triangle, faces),
  ].join('');
  const nodes = `<node name="bound"><instance_controller url="#skin"/></node>
<node name="bare"><instance_geometry url="#l"/></node>`;
  const more = `<library_controllers><controller id="skin"><skin source="#morph"/></controller>
<controller id="morph"><morph source="#g"/></controller></library_controllers>`;
  return daeOf(geometries, nodes, { asset: '<up_axis>Y_UP</up_axis>', more });
}

export const FILES: readonly WarnedFile[] = [
  OBJ,
  { name: 'behind.stl', warnings: [/^84 bytes after the last triangle were skipped$/], bytes: behind },
  {
    name: 'empty.stl',
    warnings: [/^1 solid without faces left out: none$/],
    bytes: `${stlText('some', cornersOf(BOX))}solid none\nendsolid none\n`,
  },
  {
    name: 'edges.ply',
    warnings: [/^no surface, and skipped: 1 "edge"$/, /^3 bytes after the last element were skipped$/],
    bytes: joined(
      ply('binary_little_endian', [
        {
          name: 'vertex',
          properties: ['float x', 'float y', 'float z'],
          rows: [
            [0, 0, 0],
            [1, 0, 0],
            [0, 1, 0],
          ],
        },
        { name: 'face', properties: ['list uchar int vertex_indices'], rows: [[[0, 1, 2]]] },
        { name: 'edge', properties: ['int a', 'int b'], rows: [[0, 1]] },
      ]),
      new Uint8Array(3),
    ),
  },
  {
    name: 'thin.off',
    warnings: [/^1 face skipped: fewer than 3 vertices/],
    bytes: `${offOf(BOX).replace(/^OFF\n(\d+) (\d+)/, (_, v: string, f: string) => `OFF\n${v} ${Number(f) + 1}`)}2 0 1\n`,
  },
  {
    name: 'all.glb',
    warnings: [
      /^12 bytes after the end of the GLB /,
      /^1 transform with a last row close to /,
      /^1 node left out: not in the scene/,
      /^1 mesh left out: in no node /,
      /^1 primitive skipped: points or lines/,
      /^1 mesh read without morph targets/,
      /^1 node with a skin/,
      /^1 animation left out$/,
    ],
    bytes: glb(),
  },
  {
    name: 'house.ifc',
    warnings: [
      /^1 IfcAnnotation left out$/,
      /^1 IfcWall without geometry of their own$/,
      /^1 IfcWall without a body left out/,
      /^1 GlobalId used more than once/,
      /^1 element not closed, so faces may be missing: IfcWall\/open/,
      /^the file states no known unit of length$/,
    ],
    bytes: ifc(),
  },
  {
    name: 'all.dae',
    warnings: [
      /^up_axis is "Y_UP"/,
      /^line \d+: <triangles> has 1 faces, but states 0; all were read$/,
      /^1 node without faces left out: bare$/,
      /^1 primitive skipped: lines, splines or faces of fewer than three corners$/,
      /^1 skin left out/,
      /^1 morph left out/,
      /^1 geometry left out: not in the scene/,
    ],
    bytes: collada(),
  },
  {
    name: 'arm.urdf',
    warnings: [
      /^line 3: a shape of link flat has no size/,
      /^1 link has <visual> and no <collision>/,
      /^line 5: joint to-flat is planar/,
      /^behind\.stl: 84 bytes after the last triangle were skipped$/,
    ],
    bytes: URDF,
  },
];

export function writeFiles(cwd: string): void {
  for (const { name, bytes } of FILES) writeFileSync(join(cwd, name), bytes);
}
