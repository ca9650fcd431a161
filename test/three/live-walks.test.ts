/** LiveChecker, frame after frame: each is as the first frame of a checker that is made there. */
import { BoxGeometry, type BufferGeometry, Group, InstancedMesh, Matrix4, Mesh, type Object3D, Scene } from 'three';
import { expect, test } from 'vitest';
import { type LiveChange, LiveChecker, type LivePair, toBufferGeometry } from '../../src/three/index.ts';
import { some } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';
import { bumpySphere } from '../support/shapes.ts';

const SEEDS = some(2, [1, 2, 3, 4, 5, 6]);
const ROOM = 1.2;

/** Objects of a page: meshes, groups, instances; some stay, some are scaled or share geometry. */
class Page {
  readonly scene = new Scene();
  readonly geometries: BufferGeometry[];
  objects: Object3D[] = [];
  private readonly speeds = new Map<Object3D, number>();

  constructor(private readonly random: Random) {
    this.geometries = [1, 2, 3].map((seed) => toBufferGeometry(bumpySphere(seed, 1)));
    this.geometries.push(new BoxGeometry());
  }

  make(): Object3D {
    const { random } = this;
    const mesh = () => new Mesh(random.pick(this.geometries));
    const kind = random.below(6);
    const made: Object3D =
      kind === 0
        ? new Group().add(mesh(), mesh())
        : kind === 1
          ? new InstancedMesh(random.pick(this.geometries), undefined, 3)
          : mesh();
    made.scale.setScalar(random.pick([0.3, 0.3, 0.5]));
    for (const child of made.children) this.toss(child, 2);
    if (made instanceof InstancedMesh) for (let i = 0; i < 3; i++) this.tossInstance(made, i);
    this.toss(made, ROOM);
    this.speeds.set(made, random.pick([0, 0, 0.01, 0.1]));
    if (random.below(4) > 0) this.scene.add(made);
    this.objects.push(made);
    return made;
  }

  private toss(object: Object3D, room: number): void {
    const { random } = this;
    object.position.set(random.between(-room, room), random.between(-room, room), random.between(-room, room));
    object.rotation.set(random.between(-3, 3), random.between(-3, 3), random.between(-3, 3));
  }

  private tossInstance(swarm: InstancedMesh, i: number): void {
    const place = new Mesh();
    this.toss(place, 3);
    place.updateMatrix();
    swarm.setMatrixAt(i, new Matrix4().copy(place.matrix));
  }

  /** One of the things that a page does now and then, besides moving. */
  change(): void {
    const { random, objects } = this;
    const object = random.pick(objects);
    const child = object.children[0] ?? object;
    const n = random.below(9);
    if (n === 0) object.scale.setScalar(random.pick([0.2, 0.3, 0.6]));
    else if (n === 1 && object instanceof Mesh && !(object instanceof InstancedMesh))
      object.scale.x *= random.pick([-1, 0.9]);
    else if (n === 2) this.toss(object, ROOM);
    else if (n === 3 && object instanceof InstancedMesh) object.count = 1 + random.below(3);
    else if (n === 4 && object instanceof InstancedMesh) this.tossInstance(object, 0);
    else if (n === 5 && child instanceof Mesh) child.geometry = random.pick(this.geometries);
    else if (n === 6 && object.children.length > 1) object.remove(object.children[1]);
    else if (n === 6 && object instanceof Group) object.add(new Mesh(random.pick(this.geometries)));
    else if (n === 7) this.grow(random.pick(this.geometries));
    else if (n === 8) this.scene.position.x += 0.1;
  }

  private grow(geometry: BufferGeometry): void {
    const { position } = geometry.attributes;
    const by = this.random.pick([0.9, 1.1]);
    for (let v = 0; v < position.count; v++) position.setX(v, by * position.getX(v));
    position.needsUpdate = true;
  }

  move(): void {
    const { random } = this;
    for (const object of this.objects) {
      const speed = this.speeds.get(object)!;
      if (speed === 0 || random.below(4) === 0) continue;
      object.position.x += random.between(-speed, speed);
      object.position.y += random.between(-speed, speed);
      if (random.below(2) === 0) object.rotation.z += speed;
    }
  }
}

const namesOf = (pairs: readonly LivePair[]): string[] =>
  pairs.map(({ a, b, verdict }) => `${a.id} ${b.id} ${verdict}`);

test.each(SEEDS)('a page, seed %i', { tags: ['quick', 'long'] }, (seed) => {
  const random = seeded(seed);
  const page = new Page(random);
  const clearance = random.pick([0, 0.1]);
  const updateMatrices = seed % 3 > 0;
  const checker = new LiveChecker({ clearance, updateMatrices });
  const changes: LiveChange[] = [];
  checker.addEventListener('change', ({ type: _, target: __, ...change }) => changes.push(change as LiveChange));
  const isStill = new Map<Object3D, boolean>();
  const add = () => {
    const made = page.make();
    isStill.set(made, random.below(4) === 0);
    checker.add(made, { still: isStill.get(made)! });
  };
  for (let n = 0; n < 10; n++) add();
  let before = new Map<string, string>();
  let met = 0;
  const kept: [LivePair[], string[]][] = [];
  for (let frame = 0; frame < 60; frame++) {
    page.move();
    if (random.below(3) === 0) page.change();
    if (random.below(12) === 0) add();
    if (random.below(12) === 0 && page.objects.length > 4) {
      const gone = page.objects.splice(random.below(page.objects.length), 1)[0];
      if (random.below(2) === 0) gone.removeFromParent();
      checker.remove(gone);
    }
    if (!updateMatrices) {
      page.scene.updateMatrixWorld();
      for (const object of page.objects) if (!object.parent) object.updateMatrixWorld();
    }
    changes.length = 0;
    const found = checker.update();
    const fresh = new LiveChecker({ clearance, updateMatrices });
    for (const object of page.objects) fresh.add(object, { still: isStill.get(object)! });
    expect(namesOf(found)).toEqual(namesOf(fresh.update()));
    const now = new Map(found.map(({ a, b, verdict }) => [`${a.id} ${b.id}`, verdict as string]));
    const expected = [...new Set([...before.keys(), ...now.keys()])]
      .map((key) => `${key} ${before.get(key) ?? 'clear'} ${now.get(key) ?? 'clear'}`)
      .filter((line) => line.split(' ')[2] !== line.split(' ')[3]);
    expect(changes.map(({ a, b, before, verdict }) => `${a.id} ${b.id} ${before} ${verdict}`).sort()).toEqual(
      expected.sort(),
    );
    before = now;
    met += found.length;
    kept.push([found, namesOf(found)]);
  }
  for (const [found, names] of kept) expect(namesOf(found)).toEqual(names);
  expect(met).toBeGreaterThan(60);
});

test('a frame in which nothing changes hands out the same pairs in a list of its own', () => {
  const [a, b] = [0, 0.5].map((x) => {
    const mesh = new Mesh(new BoxGeometry());
    mesh.position.x = x;
    return mesh;
  });
  const checker = new LiveChecker().add(a).add(b);
  const first = checker.update();
  first.pop();
  expect(checker.update()).toEqual([{ a, b, verdict: 'contact' }]);
});

test('an update that fails after others have moved is done again by the next', () => {
  const [a, b, c] = [0, 3, 6].map((x) => {
    const mesh = new Mesh(new BoxGeometry());
    mesh.position.x = x;
    return mesh;
  });
  const checker = new LiveChecker().add(a).add(b).add(c);
  expect(checker.update()).toHaveLength(0);
  b.position.x = 0.5;
  c.scale.y = 0;
  for (let n = 0; n < 2; n++) expect(() => checker.update()).toThrow(/expected a motion and scales/);
  expect(checker.verdict(a, b)).toBe('clear');
  c.scale.y = 1;
  expect(checker.update()).toEqual([{ a, b, verdict: 'contact' }]);
  // The same one with a mesh below it that the walk refuses.
  const skinned = Object.assign(new Mesh(new BoxGeometry()), { isSkinnedMesh: true });
  c.add(skinned);
  b.position.x = 3;
  for (let n = 0; n < 2; n++) expect(() => checker.update()).toThrow(/bones change its shape/);
  c.remove(skinned);
  expect(checker.update()).toEqual([]);
});
