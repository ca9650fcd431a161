/** What a device gets of k-DOP trees: the facets' table and groups of nodes. */
import { expect, test } from 'vitest';
import { identity } from '../../../src/math/pose.ts';
import { buildKdopTree } from '../../../src/representations/kdop/make.ts';
import { checkKdopTrees } from '../../../src/representations/kdop/search/descent.ts';
import { facetTable } from '../../../src/representations/kdop/search/facets.ts';
import { groupBytesOf, groupsOf } from '../../../src/representations/kdop/search/groups.ts';
import { GROUP_COEFFICIENTS, GROUP_COUNT } from '../../../src/representations/kdop/search/layout.as.ts';
import { DOP_SIZES, dopDirections } from '../../../src/representations/kdop/tree/dop-directions.ts';
import { checkByTwin, facetIn } from '../../kernels/twins/kdop.ts';
import { nearContact, randomDirection, randomRotation } from '../../support/agreement.ts';
import { some } from '../../support/long.ts';
import { seeded } from '../../support/random.ts';
import { bumpySphere, torus } from '../../support/shapes.ts';

/** So that the twin is right where no GPU is there to be compared with. */
test.each(some(1, [1, 2, 3, 4]))(
  'the twin: verdict and list of the search, seed %i',
  { tags: ['all', 'long'] },
  (seed) => {
    const random = seeded(seed);
    for (const k of DOP_SIZES) {
      const [a, b] = [torus(10, 5), bumpySphere(7, 1)].map((mesh) =>
        buildKdopTree(mesh, { k, bits: 8 + random.below(9) }),
      );
      for (const pose of nearContact(a, b, identity(), randomRotation(random), randomDirection(random))) {
        for (const all of [false, true]) {
          const query = { poseA: identity(), poseB: pose, all, maxContacts: 1e6, level: null };
          const [own, expected] = [checkByTwin(a, b, query), checkKdopTrees(a, b, query)];
          expect(own.verdict).toBe(expected?.verdict);
          if (all) expect(own.contacts).toEqual(expected?.contacts);
        }
      }
    }
  },
);

test.each(DOP_SIZES.map((k) => [k]))('the facet that the table gives holds the vector, k = %i, seed 90 + k', (k) => {
  const random = seeded(90 + k);
  const { normals, weights } = dopDirections(k);
  const table = facetTable(k);
  for (let n = 0; n < 4000; n++) {
    const v = randomDirection(random);
    // On planes between cells, too.
    if (n % 4 === 1) v[n % 3] = 0;
    if (n % 4 === 2) v[n % 3] = v[(n + 1) % 3];
    const facet = facetIn(table, normals, v[0], v[1], v[2]);
    for (let m = 0; m < 3; m++) {
      const at = 9 * facet + 3 * m;
      const weight = weights[at] * v[0] + weights[at + 1] * v[1] + weights[at + 2] * v[2];
      if (!(weight > -1e-12)) expect.fail(`weight ${weight} of ${v}`);
    }
  }
});

test('groups hold every triangle once, and below a node no coefficient is larger', { tags: ['all'] }, () => {
  for (const k of DOP_SIZES) {
    const tree = buildKdopTree(torus(20, 9), { k });
    const { groups, leaves } = groupsOf(tree);
    const bytes = groupBytesOf(k);
    const words = new Int32Array(groups.buffer, 0, groups.byteLength / 4);
    const numbers = new Int16Array(groups.buffer);
    const first = GROUP_COEFFICIENTS / 2;
    const listed = Array.from({ length: leaves.length / 4 }, (_, leaf) => leaves[4 * leaf + 3]);
    expect(listed.toSorted((p, q) => p - q)).toEqual(listed.map((_, i) => i));
    let reached = 0;
    for (let group = 0; group < groups.byteLength / bytes; group++) {
      for (let i = 0; i < words[(group * bytes + GROUP_COUNT) / 4]; i++) {
        const link = words[(group * bytes) / 4 + i];
        if (link & 1) {
          reached++;
          continue;
        }
        const below = link >>> 1;
        expect(below).toBeGreaterThan(group);
        for (let j = 0; j < k; j++) {
          for (let c = 0; c < words[(below * bytes + GROUP_COUNT) / 4]; c++) {
            const own = numbers[(group * bytes) / 2 + first + 4 * j + i];
            expect(numbers[(below * bytes) / 2 + first + 4 * j + c]).toBeLessThanOrEqual(own);
          }
        }
      }
    }
    expect(reached).toBe(listed.length);
  }
});
