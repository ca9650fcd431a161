// Costs of a page of three.js: a frame of moving objects, a model's trees, and the code.
//
// Bunnies fly as in the scene task. A frame ends with the list of touching pairs. The peer is
// three-mesh-bvh with a tree on each side, asked about the pairs whose world boxes meet. Both must
// find the same number of pairs in every frame.
//
// Frames of few bodies: bunnies in rows, apart or in touching pairs. All of them or one move a
// little, by their positions, as in a page. Here the peer keeps boxes and inverses, knows the moved
// bodies, and updates only those; its loop compares all boxes first. Both update matrices.
//
//   npm run bench -- three
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { Document, NodeIO } from '@gltf-transform/core';
import { build as bundle } from 'esbuild';
import { build, check, read, translation, write } from 'gicollide';
import { GicollideObb, storeTrees } from 'gicollide/gltf-transform';
import { fromBufferGeometry, GicollideObbPlugin, LiveChecker, storedTree, toBufferGeometry } from 'gicollide/three';
import { Box3, Matrix4, Mesh, TorusKnotGeometry, Vector3 } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { MeshBVH } from 'three-mesh-bvh';
import { sample, subdivided } from './inputs.mjs';
import { digits, elapsed, median, peerTree, printTable, round, startClock } from './race.mjs';
import { FEW, Flight, fewName, placesOf, sideOf } from './scene-check.mjs';

/** @typedef {import('three').BufferGeometry} BufferGeometry */
/** @typedef {import('gicollide').Asset} Asset */
/** @typedef {import('gicollide').Mesh} TriangleMesh */
/** @typedef {import('./race.mjs').PeerTree} PeerTree */

/**
 * Who touches whom, by three-mesh-bvh: how many pairs.
 *
 * @param {readonly Mesh[]} meshes
 * @param {PeerTree} tree of each
 */
function touchingByPeer(meshes, tree) {
  for (const mesh of meshes) mesh.updateMatrixWorld();
  const boxes = meshes.map(({ matrixWorld }) => new Box3().copy(ownBox(tree)).applyMatrix4(matrixWorld));
  const inverses = meshes.map(({ matrixWorld }) => new Matrix4().copy(matrixWorld).invert());
  const relative = new Matrix4();
  let count = 0;
  for (let i = 0; i < meshes.length; i++) {
    for (let j = i + 1; j < meshes.length; j++) {
      if (!boxes[i].intersectsBox(boxes[j])) continue;
      relative.multiplyMatrices(inverses[i], meshes[j].matrixWorld);
      if (tree.boundsTree.intersectsGeometry(tree, relative)) count++;
    }
  }
  return count;
}

/** @param {PeerTree} tree @returns {Box3} */
function ownBox(tree) {
  if (!tree.boundingBox) tree.computeBoundingBox();
  return /** @type {Box3} */ (tree.boundingBox);
}

/** @param {number} count of bunnies @param {number} frames */
function fly(count, frames) {
  const mesh = sample('bunny');
  const geometry = toBufferGeometry(mesh);
  const tree = peerTree(mesh);
  const meshes = Array.from({ length: count }, () => new Mesh(geometry));
  const checker = new LiveChecker();
  for (const object of meshes) {
    object.matrixAutoUpdate = false;
    checker.add(object);
  }
  const flight = new Flight(count, sideOf(build(mesh, { format: 'obb' }), count));
  /** @type {{ own: number[], peer: number[] }} */
  const times = { own: [], peer: [] };
  let touching = 0;
  let frame = 0;
  for (const poses of flight.frames(frames)) {
    for (const [i, object] of meshes.entries()) {
      object.matrix.fromArray(poses, 16 * i).transpose();
      object.matrixWorldNeedsUpdate = true;
    }
    startClock();
    const found = checker.update().length;
    times.own.push(1000 * elapsed());
    startClock();
    const expected = touchingByPeer(meshes, tree);
    times.peer.push(1000 * elapsed());
    if (found !== expected) throw new Error(`frame ${frame}: ${found} pairs, three-mesh-bvh says ${expected}`);
    touching += found;
    frame++;
  }
  const [own, peer] = [median(times.own), median(times.peer)];
  return {
    'touching a frame': round(touching / frames),
    'us a frame': digits(own),
    'three-mesh-bvh, us a frame': digits(peer),
    'three-mesh-bvh / own': digits(peer / own),
  };
}

/** The pair loop of three-mesh-bvh, its boxes first. */
class PairLoop {
  relative = new Matrix4();

  /** @param {readonly Mesh[]} meshes @param {PeerTree} tree of each */
  constructor(meshes, tree) {
    this.meshes = meshes;
    this.tree = tree;
    this.boxes = meshes.map(() => new Box3());
    this.inverses = meshes.map(() => new Matrix4());
    for (let i = 0; i < meshes.length; i++) this.move(i);
  }

  /** @param {number} i */
  move(i) {
    const { matrixWorld } = this.meshes[i];
    this.boxes[i].copy(ownBox(this.tree)).applyMatrix4(matrixWorld);
    this.inverses[i].copy(matrixWorld).invert();
  }

  /** @param {number} moved the first so many have moved */
  count(moved) {
    const { meshes, tree, boxes, inverses, relative } = this;
    for (const mesh of meshes) mesh.updateMatrixWorld();
    for (let i = 0; i < moved; i++) this.move(i);
    let count = 0;
    for (let i = 0; i < meshes.length; i++) {
      for (let j = i + 1; j < meshes.length; j++) {
        if (!boxes[i].intersectsBox(boxes[j])) continue;
        relative.multiplyMatrices(inverses[i], meshes[j].matrixWorld);
        if (tree.boundsTree.intersectsGeometry(tree, relative)) count++;
      }
    }
    return count;
  }
}

/**
 * Microseconds a frame of few bodies: the median of rounds in which the two take turns.
 *
 * @param {(typeof FEW)[number]} bodies @param {number} rounds @param {number} frames of each round
 */
function frameOf([count, way, moved], rounds, frames) {
  const mesh = sample('bunny');
  const tree = peerTree(mesh);
  const geometry = toBufferGeometry(mesh);
  const size = ownBox(tree).getSize(new Vector3()).length();
  const places = placesOf(count, way, size);
  const meshesOf = (/** @type {BufferGeometry} */ of) =>
    places.map(([x, y, z]) => {
      const object = new Mesh(of);
      object.position.set(x, y, z);
      object.updateMatrixWorld();
      return object;
    });
  const [own, others] = [meshesOf(geometry), meshesOf(tree)];
  const checker = new LiveChecker();
  for (const object of own) checker.add(object);
  const loop = new PairLoop(others, tree);
  const step = (/** @type {Mesh[]} */ meshes, /** @type {number} */ frame) => {
    for (let i = 0; i < moved; i++) meshes[i].position.y = places[i][1] + (frame % 2) * 1e-3 * size;
  };
  /** @type {Record<'own' | 'peer', (frame: number) => number>} */
  const ways = {
    own(frame) {
      step(own, frame);
      return checker.update().length;
    },
    peer(frame) {
      step(others, frame);
      return loop.count(moved);
    },
  };
  /** @type {{ own: number[], peer: number[] }} */
  const times = { own: [], peer: [] };
  for (let round = 0; round <= rounds; round++) {
    const found = { own: 0, peer: 0 };
    for (const name of /** @type {const} */ (['own', 'peer'])) {
      startClock();
      for (let frame = 0; frame < frames; frame++) found[name] += ways[name](frame);
      // The first round warms up.
      if (round > 0) times[name].push((1000 * elapsed()) / frames);
    }
    if (found.own !== found.peer) throw new Error(`${count} ${way}: ${found.own} pairs, the peer says ${found.peer}`);
  }
  const [ours, theirs] = [median(times.own), median(times.peer)];
  return { 'us a frame': digits(ours), 'three-mesh-bvh, us a frame': digits(theirs), ratio: digits(ours / theirs) };
}

/**
 * A GLB of one mesh, and the same with its tree.
 *
 * @param {BufferGeometry} geometry
 */
async function filesOf(geometry) {
  const document = new Document();
  const buffer = document.createBuffer();
  const { positions, triangles } = fromBufferGeometry(geometry, { weld: false });
  const points = document.createAccessor().setType('VEC3').setArray(Float32Array.from(positions)).setBuffer(buffer);
  const indices = document.createAccessor().setArray(triangles).setBuffer(buffer);
  const primitive = document.createPrimitive().setAttribute('POSITION', points).setIndices(indices);
  const mesh = document.createMesh('knot').addPrimitive(primitive);
  document.createScene().addChild(document.createNode('knot').setMesh(mesh));
  const io = new NodeIO().registerExtensions([GicollideObb]);
  const plain = await io.writeBinary(document);
  await storeTrees(document);
  return { plain, stored: await io.writeBinary(document) };
}

/** @param {Uint8Array} bytes */
async function load(bytes) {
  const loader = new GLTFLoader();
  loader.register((parser) => new GicollideObbPlugin(parser));
  const { scene } = await loader.parseAsync(/** @type {ArrayBuffer} */ (bytes.slice().buffer), '');
  return /** @type {Mesh} */ (scene.children[0]);
}

/**
 * Least milliseconds of each, of rounds in which they take turns.
 *
 * @template {string} Name
 * @param {Record<Name, () => unknown>} ways
 * @param {number} rounds
 */
async function leastOf(ways, rounds) {
  const names = /** @type {Name[]} */ (Object.keys(ways));
  const least = /** @type {Record<Name, number>} */ (Object.fromEntries(names.map((name) => [name, Infinity])));
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      startClock();
      await ways[name]();
      least[name] = Math.min(least[name], elapsed());
    }
  }
  return least;
}

const near = { poseB: translation(0.01, 0.02, 0.03) };
const ask = (/** @type {Asset} */ tree) => check(tree, tree, near);

/** @param {BufferGeometry} geometry @param {number} rounds */
async function loadOf(geometry, rounds) {
  const { plain, stored } = await filesOf(geometry);
  const mesh = fromBufferGeometry(geometry, { weld: false });
  /** @type {Asset | null} */
  let tree = null;
  const least = await leastOf(
    {
      plain: () => load(plain),
      stored: async () => {
        tree = storedTree(await load(stored));
      },
      first: () => ask(/** @type {Asset} */ (tree)),
      second: () => ask(/** @type {Asset} */ (tree)),
      build: () => build(mesh, { format: 'obb', nodeBytes: 64 }),
      peer: () => new MeshBVH(geometry.clone()),
    },
    rounds,
  );
  const triangles = mesh.triangles.length / 3;
  const ready = least.stored - least.plain + least.first - least.second;
  return {
    triangles,
    'ms to load': digits(least.plain),
    'with its tree': digits(least.stored + least.first - least.second),
    'to build the tree': digits(least.build),
    'build / load': digits(least.build / ready),
    'three-mesh-bvh, to build': digits(least.peer),
    'of that': digits(ready / least.peer),
    'bytes a triangle': digits((stored.length - plain.length) / triangles),
  };
}

/** Names that a page imports, and where from. */
const IMPORTS = [
  ['check', 'gicollide/obb'],
  ['build, check', 'gicollide/obb'],
  ['read, prepare', 'gicollide/obb'],
  ['check', 'gicollide'],
  ['LiveChecker', 'gicollide/three'],
  ['MeshBVH', 'three-mesh-bvh'],
];

/**
 * What a page loads of an import, without three: bytes that esbuild makes for browsers, minified.
 *
 * @param {string} names @param {string} from
 */
async function sizeOf(names, from) {
  const { outputFiles } = await bundle({
    stdin: {
      contents: `export { ${names} } from '${from}';`,
      resolveDir: fileURLToPath(new URL('..', import.meta.url)),
    },
    ...{ bundle: true, format: 'esm', platform: 'browser', target: 'es2022', minify: true, write: false },
    ...{ external: ['three'], logLevel: 'silent', tsconfigRaw: {} },
  });
  const [{ contents }] = outputFiles;
  return { bytes: contents.length, compressed: gzipSync(contents).length };
}

/** @type {Record<string, Parameters<typeof build>[1]>} */
const STORED = {
  'OBB tree, 64 bytes a node': { format: 'obb', nodeBytes: 64 },
  'OBB tree, 40 bytes a node': { format: 'obb', nodeBytes: 40 },
  'OBB tree, 20 bytes a node': { format: 'obb', nodeBytes: 20 },
  'k-DOP tree': { format: 'kdop' },
};

/**
 * How long it takes until trees that are stored can be asked: reading the bytes, and what the first
 * question takes longer than the second. With and without a copy of the bytes.
 *
 * @param {TriangleMesh} mesh @param {number} rounds
 */
async function readyOf(mesh, rounds) {
  const geometry = toBufferGeometry(mesh);
  /** @type {Record<string, Record<string, number | null>>} */
  const rows = {};
  for (const [name, options] of Object.entries(STORED)) {
    const bytes = await write(build(mesh, options));
    /** @type {Asset | null} */
    let tree = null;
    const readBy = (/** @type {boolean} */ take) => async () => {
      tree = (await read(bytes, { take })).asset;
    };
    const question = () => ask(/** @type {Asset} */ (tree));
    const { copied, first, second, taken, peer } = await leastOf(
      {
        copied: readBy(false),
        taken: readBy(true),
        first: question,
        second: question,
        peer: () => new MeshBVH(geometry.clone()),
      },
      rounds,
    );
    const preparation = Math.max(0, first - second);
    rows[name] = {
      MB: digits(bytes.length / 1e6),
      'ms to read': digits(copied + preparation),
      'without a copy': digits(taken + preparation),
      'three-mesh-bvh, to build': digits(peer),
      'of that': digits((copied + preparation) / peer),
      'without a copy, of that': digits((taken + preparation) / peer),
    };
  }
  return rows;
}

/** @param {import('./race.mjs').Run} run */
export default async function three({ quick, keep }) {
  const counts = quick ? [4] : [2, 16, 64, 256];
  /** @type {Record<string, ReturnType<typeof fly>>} */
  const moving = {};
  for (const count of counts) moving[count] = fly(count, quick ? 3 : 200);
  printTable('bunnies', moving);
  /** @type {Record<string, ReturnType<typeof frameOf>>} */
  const few = {};
  for (const bodies of quick ? FEW.slice(0, 1) : FEW) {
    const [count, way] = bodies;
    // A touching pair takes the peer a third of a millisecond.
    const frames = quick ? 2 : Math.ceil((way === 'touching' ? 200 : 20_000) / count);
    few[fewName(bodies)] = frameOf(bodies, quick ? 1 : 25, frames);
  }
  printTable('few bodies', few);
  /** @type {Record<string, Awaited<ReturnType<typeof loadOf>>>} */
  const loading = {};
  const knots = quick
    ? [[16, 8]]
    : [
        [64, 32],
        [300, 160],
      ];
  for (const [u, v] of knots)
    loading[`knot, ${u} x ${v}`] = await loadOf(new TorusKnotGeometry(1, 0.3, u, v), quick ? 1 : 30);
  printTable('a GLB', loading);
  /** @type {Record<string, Awaited<ReturnType<typeof readyOf>>>} */
  const ready = {};
  const bunny = sample('bunny');
  const meshes = quick ? [bunny] : [sample('blob'), subdivided(subdivided(bunny))];
  for (const mesh of meshes) {
    const triangles = mesh.triangles.length / 3;
    ready[triangles] = await readyOf(mesh, quick ? 1 : 30);
    printTable(`${triangles} triangles, until they can be asked`, ready[triangles]);
  }
  /** @type {Record<string, Awaited<ReturnType<typeof sizeOf>>>} */
  const sizes = {};
  for (const [names, from] of IMPORTS) sizes[`${names} of ${from}`] = await sizeOf(names, from);
  printTable('an import', sizes);
  keep({ moving, few, loading, ready, sizes });
}
