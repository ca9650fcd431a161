/** Blobs with a right checksum and wrong contents: each is refused in one line, soon, whatever its words say. */
import { beforeAll, describe, expect, test } from 'vitest';
import '../../../src/representations/everything.ts';
import { FormatError } from '../../../src/base/errors.ts';
import { identity } from '../../../src/math/pose.ts';
import { decodeVoxels, encodeVoxels } from '../../../src/representations/voxel/format.ts';
import { buildVoxels } from '../../../src/representations/voxel/make/index.ts';
import { verifyVoxels } from '../../../src/representations/voxel/tree/verify.ts';
import { expectAgreement } from '../../support/agreement.ts';
import { meetingPairs, setOf } from '../../support/cubes.ts';
import { type Edit, edited, type Sections } from '../../support/edited.ts';
import { some } from '../../support/long.ts';
import { seeded } from '../../support/random.ts';
import { refusal } from '../../support/refusal.ts';
import { bumpySphere } from '../../support/shapes.ts';
import { countsSteps, stepsSoFar } from '../../support/steps.ts';

// Steps of the files that ran before this one in the same process don't count.
beforeAll(() => void stepsSoFar());

const file = await encodeVoxels(buildVoxels(bumpySphere(5, 1), { precision: 0.11 }));

const keys = (sections: Sections) => sections.get('keys') as Uint32Array;
const masks = (sections: Sections) => sections.get('masks') as Uint32Array;
const swap = (words: Uint32Array, i: number, j: number) => {
  [words[i], words[j]] = [words[j], words[i]];
};

test.each<[string, Edit, RegExp]>([
  [
    'a brick twice',
    (s) => {
      keys(s).copyWithin(2, 0, 2);
    },
    /ascending keys, found brick 1 not above the one before/,
  ],
  [
    'two bricks the wrong way round',
    (s) => {
      swap(keys(s), 4, 6);
      swap(keys(s), 5, 7);
    },
    /ascending keys, found brick 3/,
  ],
  [
    'the words of a key the wrong way round',
    (s) => {
      for (let i = 0; i < keys(s).length; i += 2) swap(keys(s), i, i + 1);
    },
    /ascending keys/,
  ],
  [
    'the last brick first',
    (s) => {
      keys(s)[keys(s).length - 1] = 0;
    },
    /ascending keys/,
  ],
  [
    'a low word of 31 bits',
    (s) => {
      keys(s)[2] += 2 ** 30;
    },
    /keys of 30 bits a word, found \d+ \d+ at brick 1/,
  ],
  [
    'a high word of 32 bits',
    (s) => {
      keys(s)[keys(s).length - 1] = 0xffffffff;
    },
    /keys of 30 bits a word, found 4294967295 \d+ at brick/,
  ],
  [
    'a brick of no cubes',
    (s) => {
      masks(s).fill(0, 6, 8);
    },
    /cubes in every brick, found none in brick 3/,
  ],
  [
    'a cube too many',
    (s) => {
      masks(s)[0] = masks(s)[0] === 0xffffffff ? 1 : 0xffffffff;
    },
    /\d+ cubes in the bricks, found \d+/,
  ],
  [
    'a count that does not fit',
    (_, h) => {
      h.cubes = (h.cubes as number) + 1;
    },
    /cubes in the bricks/,
  ],
  [
    'a count of nothing',
    (_, h) => {
      h.cubes = 0;
    },
    /cubes, a count, in the header, found 0/,
  ],
  [
    'a count of text',
    (_, h) => {
      h.cubes = '7';
    },
    /cubes, a count, in the header, found "7"/,
  ],
  [
    'bricks too few',
    (_, h) => {
      h.bricks = (h.bricks as number) - 1;
    },
    /elements in section keys/,
  ],
  [
    'bricks of a fraction',
    (_, h) => {
      h.bricks = 1.5;
    },
    /bricks, a count/,
  ],
  [
    'bricks without end',
    (_, h) => {
      h.bricks = 2 ** 40;
    },
    /bricks, a count/,
  ],
  [
    'no bricks at all',
    (s, h) => {
      s.set('keys', new Uint32Array(0));
      s.set('masks', new Uint32Array(0));
      h.bricks = 0;
    },
    /bricks, a count/,
  ],
  [
    'masks too few',
    (s) => {
      s.set('masks', masks(s).slice(2));
    },
    /elements in section masks/,
  ],
  [
    'keys of another type',
    (s) => {
      s.set('keys', new Int32Array(keys(s).length));
    },
    /section keys of u32, found i32/,
  ],
  [
    'no masks',
    (s) => {
      s.delete('masks');
    },
    /a section masks/,
  ],
  ...[0, -1, 1e-101, 1e101, null, '1', undefined].map((precision): [string, Edit, RegExp] => [
    `a precision of ${precision}`,
    (_, h) => {
      h.precision = precision;
    },
    /precision, a length, in the header, found/,
  ]),
  [
    'options of lists',
    (_, h) => {
      h.options = { precision: [] };
    },
    /options/,
  ],
  [
    'no tool',
    (_, h) => {
      delete h.tool;
    },
    /tool/,
  ],
])('%s', async (_, edit, message) => {
  expect((await refusal(decodeVoxels(await edited(file, edit)))).message).toMatch(message);
});

test('what a later writer adds is ignored', async () => {
  const { asset } = await decodeVoxels(file.slice());
  const more = await edited(file, (s, h) => {
    s.set('colours', new Uint8Array(7));
    h.more = [1, 2];
  });
  expect((await decodeVoxels(more)).asset).toEqual(asset);
});

test.each(some(1, [7, 8]))(
  'words of chance under a right checksum: refused, or cubes that can be used, seed %i',
  { tags: ['all', 'long'] },
  async (seed) => {
    const random = seeded(seed);
    const small = setOf(
      Array.from({ length: 12 }, () => [0, 0, 0].map(() => random.below(12) - 6)),
      0.5,
    );
    const from = await encodeVoxels(small);
    let accepted = 0;
    for (let i = 0; i < 150; i++) {
      const bytes = await edited(from, (sections, header) => {
        const data = random.below(2) === 0 ? keys(sections) : masks(sections);
        data[random.below(data.length)] ^= 1 << random.below(32);
        if (data === masks(sections)) {
          header.cubes = Array.from(data).reduce((sum, word) => sum + word.toString(2).replaceAll('0', '').length, 0);
        }
      });
      const result = await decodeVoxels(bytes).catch((error: unknown) => error);
      if (result instanceof FormatError) continue;
      accepted++;
      const { asset } = result as Awaited<ReturnType<typeof decodeVoxels>>;
      expect(verifyVoxels(asset).problems).toEqual([]);
      if (i % 10 === 0) {
        expectAgreement(asset, small, identity(), identity(), meetingPairs(asset, identity(), small, identity()));
      }
    }
    expect(accepted).toBeGreaterThan(50);
  },
);

describe('sizes that claim more than there is', () => {
  test('the eight corners of the grid are one node and eight cubes', async () => {
    const corners = Array.from({ length: 8 }, (_, i) =>
      [0, 1, 2].map((k) => ((i >> k) & 1 ? 2 ** 21 - 1 : -(2 ** 21))),
    );
    const { asset } = await decodeVoxels(await encodeVoxels(setOf(corners, 1)));
    expect(verifyVoxels(asset)).toEqual({ checked: 1, what: 'octants', problems: [] });
  });
});

test.skipIf(!countsSteps)('no count of a file is believed before it is checked: all of this took few steps', () => {
  expect(stepsSoFar()).toBeLessThan(1e8);
});
