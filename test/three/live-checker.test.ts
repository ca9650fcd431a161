/** Objects that move in a scene of three's: every verdict is `check`'s of their meshes where they stand. */
import {
  BoxGeometry,
  type BufferGeometry,
  Euler,
  Group,
  InstancedMesh,
  Matrix4,
  Mesh,
  type Object3D,
  Quaternion,
  SkinnedMesh,
  SphereGeometry,
  Vector3,
} from 'three';
import { describe, expect, test } from 'vitest';
import { build, check, type Verdict } from '../../src/index.ts';
import { fromBufferGeometry, type LiveChange, LiveChecker, poseOf, toBufferGeometry } from '../../src/three/index.ts';
import { some } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';
import { bumpySphere } from '../support/shapes.ts';

const SEEDS = some(
  3,
  Array.from({ length: 20 }, (_, k) => k + 1),
);

/** Moves and turns an object by chance, about the origin. */
function toss(object: Object3D, random: Random, reach: number): void {
  object.position.set(random.between(-reach, reach), random.between(-reach, reach), random.between(-reach, reach));
  object.rotation.copy(new Euler(random.between(-3, 3), random.between(-3, 3), random.between(-3, 3)));
}

/** The mesh where it stands, its coordinates moved by three: what nothing but a single pose is left of. */
function baked(mesh: Mesh): ReturnType<typeof build> {
  mesh.updateWorldMatrix(true, false);
  const { positions, triangles } = fromBufferGeometry(mesh.geometry, { weld: false });
  const turned = mesh.matrixWorld.determinant() < 0;
  const point = new Vector3();
  const moved = new Float64Array(positions.length);
  for (let i = 0; i < moved.length; i += 3) {
    point.fromArray(positions, i).applyMatrix4(mesh.matrixWorld).toArray(moved, i);
  }
  if (turned) for (let t = 0; t < triangles.length; t += 3) triangles.subarray(t, t + 3).reverse();
  return build({ positions: moved, triangles, groups: [] }, { format: 'obb' });
}

test('geometries are in the unit of the assets beside them', () => {
  const [ball, box] = [new Mesh(bumpy(1)), new Mesh(new BoxGeometry())];
  const other = new Mesh(new BoxGeometry());
  const assetIn = (units: string) => build(bumpySphere(1, 2), { format: 'obb', units });
  const checker = new LiveChecker()
    .add(box)
    .add(other)
    .add(ball, { asset: assetIn('m') });
  other.scale.set(2, 1, 1);
  expect(checker.update()).toHaveLength(3);
  checker.remove(ball).add(ball, { asset: assetIn('mm') });
  expect(checker.update()).toHaveLength(3);
  checker.add(new Mesh(bumpy(2)), { asset: assetIn('m') });
  expect(() => checker.update()).toThrow(/^units: a is in mm?, b in mm?: /);
});

const bumpy = (seed: number, levels = 2): BufferGeometry => toBufferGeometry(bumpySphere(seed, levels));
const count = (verdicts: readonly string[], verdict: string): number => verdicts.filter((v) => v === verdict).length;

describe.each(SEEDS)('seed %i', { tags: ['all'] }, (seed) => {
  test('two in a loop are to each other what check says', { tags: ['all', 'long'] }, () => {
    const random = seeded(seed);
    const [a, b] = [new Mesh(bumpy(seed)), new Mesh(bumpy(seed + 100))];
    const [assetA, assetB] = [a, b].map(({ geometry }) => build(fromBufferGeometry(geometry), { format: 'obb' }));
    const checker = new LiveChecker().add(a).add(b);
    const verdicts: string[] = [];
    for (let frame = 0; frame < 60; frame++) {
      for (const object of [a, b]) toss(object, random, 1.2);
      checker.update();
      const expected: Verdict = check(assetA, assetB, { poseA: poseOf(a), poseB: poseOf(b) }).verdict;
      expect(checker.verdict(b, a)).toBe(expected);
      verdicts.push(expected);
    }
    expect(count(verdicts, 'contact')).toBeGreaterThan(5);
    expect(count(verdicts, 'clear')).toBeGreaterThan(5);
  });

  test('in groups, scaled, mirrored and instanced, as three draws them', { tags: ['all', 'long'] }, () => {
    const random = seeded(seed);
    const meshes = [1, 2, 3].map((k) => new Mesh(bumpy(seed + k, 1)));
    meshes[1].scale.set(0.5, 0.8, 1.1);
    meshes[2].scale.set(-0.7, 0.7, 0.7);
    const arm = new Group().add(meshes[0], meshes[1]);
    arm.scale.setScalar(0.9);
    const swarm = new InstancedMesh(bumpy(seed, 1), undefined, 3);
    const checker = new LiveChecker().add(arm).add(meshes[2]).add(swarm);
    let contacts = 0;
    for (let frame = 0; frame < 20; frame++) {
      for (const object of [arm, ...meshes, swarm]) toss(object, random, 1.3);
      for (let i = 0; i < swarm.count; i++) {
        const place = new Mesh();
        toss(place, random, 3);
        swarm.setMatrixAt(i, new Matrix4().compose(place.position, place.quaternion, new Vector3(0.4, 0.4, 0.4)));
      }
      checker.update();
      const single = Array.from({ length: swarm.count }, (_, i) => {
        const mesh = new Mesh(swarm.geometry);
        swarm.getMatrixAt(i, mesh.matrix);
        mesh.matrix.premultiply(swarm.matrixWorld).decompose(mesh.position, mesh.quaternion, mesh.scale);
        return mesh;
      });
      const sides: [Object3D, Mesh[]][] = [
        [arm, meshes.slice(0, 2)],
        [meshes[2], [meshes[2]]],
        [swarm, single],
      ];
      const assets = sides.map(([object, meshes]) => [object, meshes.map(baked)] as const);
      for (const [n, [p, ofP]] of assets.entries()) {
        for (const [q, ofQ] of assets.slice(0, n)) {
          const meets = ofP.some((s) => ofQ.some((t) => check(s, t).verdict === 'contact'));
          expect(checker.verdict(p, q)).toBe(meets ? 'contact' : 'clear');
          if (meets) contacts++;
        }
      }
    }
    expect(contacts).toBeGreaterThan(3);
    expect(contacts).toBeLessThan(57);
  });
});

describe('what changes is seen', () => {
  const box = (x: number): Mesh => {
    const mesh = new Mesh(new BoxGeometry());
    mesh.position.x = x;
    return mesh;
  };

  test('vertices that move, of one and of another size', () => {
    const [a, b] = [box(0), box(1.5)];
    const checker = new LiveChecker().add(a).add(b);
    expect(checker.update()).toEqual([]);
    const { position } = a.geometry.attributes;
    for (let v = 0; v < position.count; v++) position.setX(v, 2 * position.getX(v));
    position.needsUpdate = true;
    expect(checker.update()).toEqual([{ a, b, verdict: 'contact' }]);
    a.scale.x = 0.4;
    expect(checker.update()).toEqual([]);
    for (let v = 0; v < position.count; v++) position.setX(v, 3 * position.getX(v));
    position.needsUpdate = true;
    expect(checker.update()).toEqual([{ a, b, verdict: 'contact' }]);
  });

  test('another geometry, another range of it, a child more, and one less', () => {
    const [a, b] = [box(0), box(2)];
    const checker = new LiveChecker().add(a).add(b);
    expect(checker.update()).toHaveLength(0);
    a.geometry = new SphereGeometry(2);
    expect(checker.update()).toHaveLength(1);
    a.geometry = new BoxGeometry(4, 4, 4);
    expect(checker.update()).toHaveLength(1);
    // The first of six sides alone, which is far from b.
    a.geometry.setDrawRange(6, 6);
    expect(checker.update()).toHaveLength(0);
    const child = box(1.5);
    a.add(child);
    expect(checker.update()).toHaveLength(1);
    a.remove(child);
    expect(checker.update()).toHaveLength(0);
  });

  test('who is removed ends what he touched, and who is added begins', () => {
    const [a, b, c] = [box(0), box(0.5), box(0.7)];
    const checker = new LiveChecker().add(a).add(b);
    const changes: LiveChange[] = [];
    checker.addEventListener('change', ({ a, b, verdict, before }) => changes.push({ a, b, verdict, before }));
    checker.update();
    checker.remove(b).add(c);
    checker.update();
    expect(changes).toEqual([
      { a, b, before: 'clear', verdict: 'contact' },
      { a, b, before: 'contact', verdict: 'clear' },
      { a, b: c, before: 'clear', verdict: 'contact' },
    ]);
    expect(() => checker.verdict(a, b)).toThrow(/two that were added/);
  });

  test('parents that move, where those between keep their own matrices', () => {
    const [a, b] = [box(0), box(1.5)];
    const [outer, inner] = [new Group(), new Group()];
    for (const object of [inner, a]) Object.assign(object, { matrixAutoUpdate: false });
    outer.add(inner.add(a));
    const checker = new LiveChecker().add(a).add(b);
    expect(checker.update()).toHaveLength(0);
    outer.position.x = 1;
    expect(checker.update()).toHaveLength(1);
    inner.matrix.makeTranslation(-1, 0, 0);
    inner.matrixWorldNeedsUpdate = true;
    expect(checker.update()).toHaveLength(0);
  });

  test('matrices are as they were drawn, where somebody says so', () => {
    const [a, b] = [box(0), box(0.5)];
    const checker = new LiveChecker({ updateMatrices: false }).add(a).add(b);
    expect(checker.update()).toHaveLength(1);
    for (const object of [a, b]) object.updateMatrixWorld();
    b.position.x = 9;
    expect(checker.update()).toHaveLength(1);
    b.updateMatrixWorld();
    expect(checker.update()).toHaveLength(0);
  });

  test('nearness, where a clearance is asked for', () => {
    const [a, b] = [box(0), box(1.2)];
    const checker = new LiveChecker({ clearance: 0.25 }).add(a).add(b);
    expect(checker.update()).toEqual([{ a, b, verdict: 'near' }]);
    b.position.x = 1.3;
    expect(checker.update()).toEqual([]);
  });
});

describe('who is asked about whom', () => {
  test('parts of one object are not, and an object within another is one of its own', () => {
    const [a, b] = [new Mesh(new BoxGeometry()), new Mesh(new BoxGeometry())];
    const whole = new Group().add(a, b);
    expect(new LiveChecker().add(whole).update()).toEqual([]);
    expect(new LiveChecker().add(whole).add(b).update()).toEqual([{ a: whole, b, verdict: 'contact' }]);
  });

  test('what is still is not asked about what is still', () => {
    const [a, b, c] = [1, 2, 3].map(() => new Mesh(new BoxGeometry()));
    const checker = new LiveChecker().add(a, { still: true }).add(b, { still: true }).add(c);
    expect(checker.update().map((pair) => [pair.a, pair.b])).toEqual([
      [a, c],
      [b, c],
    ]);
  });

  test('an asset stands for its object and all below it', () => {
    const group = new Group().add(new Mesh(new BoxGeometry(9, 9, 9)));
    const asset = build(fromBufferGeometry(new BoxGeometry()), { format: 'kdop' });
    const other = new Mesh(new BoxGeometry());
    other.position.x = 2;
    const checker = new LiveChecker().add(group, { asset }).add(other);
    expect(checker.update()).toEqual([]);
    group.scale.setScalar(4);
    expect(checker.update()).toHaveLength(1);
  });

  test('none, one, and objects without meshes', () => {
    expect(new LiveChecker().update()).toEqual([]);
    expect(new LiveChecker().add(new Group()).add(new Mesh(new BoxGeometry())).update()).toEqual([]);
  });
});

describe('what cannot be told is refused with the name of the object', () => {
  const named = <T extends Object3D>(object: T): T => Object.assign(object, { name: 'part' });
  const refusal =
    (object: Object3D, options = {}) =>
    () =>
      new LiveChecker().add(object, options).add(new Mesh(new BoxGeometry())).update();

  test('a matrix that shears, and one that flattens', () => {
    const mesh = named(new Mesh(new BoxGeometry()));
    mesh.quaternion.copy(new Quaternion().setFromEuler(new Euler(0.3, 0.4, 0.5)));
    const parent = new Group().add(mesh);
    parent.scale.set(1, 2, 3);
    expect(refusal(parent)).toThrow(/^part: expected a motion and scales/);
    parent.scale.set(1, 1, 0);
    expect(refusal(parent)).toThrow(/^part: expected a motion and scales/);
    parent.scale.set(1, 1, Number.NaN);
    expect(refusal(parent)).toThrow(/^part: expected a motion and scales/);
  });

  test('bones and morph targets, unless at rest', () => {
    const skinned = named(new SkinnedMesh(new BoxGeometry()));
    expect(refusal(skinned)).toThrow(/^part: bones change its shape/);
    expect(refusal(skinned, { atRest: true })).not.toThrow();
    const morphing = named(new Mesh(new BoxGeometry()));
    morphing.geometry.morphAttributes.position = [morphing.geometry.attributes.position.clone()];
    expect(refusal(morphing)).toThrow(/^part: morph targets change its shape/);
    expect(refusal(morphing, { atRest: true })).not.toThrow();
  });

  test('geometries without triangles, with holes in their numbers, and what comes twice', () => {
    const mesh = named(new Mesh(new BoxGeometry()));
    mesh.geometry.attributes.position.setX(3, Number.NaN);
    expect(refusal(mesh)).toThrow(/^part: geometry.positions: expected finite coordinates, found NaN at vertex 3/);
    expect(refusal(named(new Mesh()))).toThrow(/^part: geometry: expected the attribute position/);
    expect(() => new LiveChecker().add(mesh).add(mesh)).toThrow(/^part: it was added before/);
    expect(() => new LiveChecker().add({} as Object3D)).toThrow(/expected an Object3D/);
    for (const kinds of [5, 'obb', [5], [null]])
      expect(() => new LiveChecker({ kinds: kinds as never })).toThrow(/^kinds: expected representations of gicollide/);
  });

  test('an update that failed is done again by the next', () => {
    const [a, b] = [named(new Mesh(new BoxGeometry())), new Mesh(new BoxGeometry())];
    const checker = new LiveChecker().add(b).add(a);
    expect(checker.update()).toHaveLength(1);
    b.position.x = 3;
    a.scale.x = 0;
    expect(() => checker.update()).toThrow(/^part: /);
    expect(checker.verdict(a, b)).toBe('contact');
    a.scale.x = 1;
    expect(checker.update()).toHaveLength(0);
  });
});
