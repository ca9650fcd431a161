/**
 * The ladder of P. Terdiman's "RAPID Hack" (2000-2002), from RAPID's 132 bytes per box to 40, and
 * the smaller nodes here. Every size is the sum of the listed fields.
 */

const BYTES = { f64: 8, f32: 4, pointer: 4, u32: 4, i16: 2, u16: 2, u8: 1 } as const;

interface Field {
  name: string;
  type: keyof typeof BYTES;
  count: number;
}

interface Rung {
  step: string;
  fields: Field[];
}

const field = (name: string, type: Field['type'], count = 1): Field => ({ name, type, count });

const RUNGS: Rung[] = [
  {
    step: 'RAPID 2.01',
    fields: [
      field('rotation', 'f64', 9),
      field('translation', 'f64', 3),
      field('half extents', 'f64', 3),
      field('positive child', 'pointer'),
      field('negative child', 'pointer'),
      field('triangle', 'pointer'),
    ],
  },
  {
    step: 'single precision',
    fields: [
      field('rotation', 'f32', 9),
      field('translation', 'f32', 3),
      field('half extents', 'f32', 3),
      field('positive child', 'pointer'),
      field('negative child', 'pointer'),
      field('triangle', 'pointer'),
    ],
  },
  {
    step: 'the negative child follows the positive one',
    fields: [
      field('rotation', 'f32', 9),
      field('translation', 'f32', 3),
      field('half extents', 'f32', 3),
      field('positive child', 'pointer'),
      field('triangle', 'pointer'),
    ],
  },
  {
    step: 'triangle and leaf test in the child word',
    fields: [
      field('rotation', 'f32', 9),
      field('translation', 'f32', 3),
      field('half extents', 'f32', 3),
      field('child or triangle', 'u32'),
    ],
  },
  {
    step: 'orientation as a quaternion',
    fields: [
      field('quaternion', 'f32', 4),
      field('translation', 'f32', 3),
      field('half extents', 'f32', 3),
      field('child or triangle', 'u32'),
    ],
  },
  {
    step: 'w implicit (node bytes 40)',
    fields: [
      field('quaternion x y z', 'f32', 3),
      field('translation', 'f32', 3),
      field('half extents', 'f32', 3),
      field('child or triangle', 'u32'),
    ],
  },
  {
    step: 'four children and their boxes in one node, half a node a triangle (node bytes 64)',
    fields: [
      field('axes', 'i16', 9),
      field('half extents', 'u16', 3),
      field('translation', 'f32', 3),
      field('children or triangles', 'u32'),
      field("children's boxes", 'u8', 24),
    ],
  },
  {
    step: '16 bits, no leaf boxes, children implicit (node bytes 20)',
    fields: [
      field('quaternion x y z', 'i16', 3),
      field('translation', 'i16', 3),
      field('half extents', 'u16', 3),
      field("positive child's triangles", 'u16'),
    ],
  },
];

export interface LayoutRow {
  bytes: number;
  step: string;
  fields: string;
}

export function layoutLadder(): LayoutRow[] {
  return RUNGS.map(({ step, fields }) => ({
    bytes: fields.reduce((sum, { type, count }) => sum + count * BYTES[type], 0),
    step,
    fields: fields.map(({ name, type, count }) => `${name} ${count > 1 ? `${count} x ` : ''}${type}`).join(', '),
  }));
}

export const SIGN_OF_W = [
  'the second least significant bit of the child or triangle word',
  'the sign bit of any of the three half extents, which are never negative',
  'nowhere: q and -q are one rotation, so the whole is negated where w < 0 (S. Bacelle, 2002); this is what we do',
];
