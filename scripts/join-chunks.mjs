// Joins the files of the package's bundle. esbuild makes a file for each set of entries that share
// code, so a check of two OBB trees loaded 69 files. Node takes as long to load a small file as to
// parse 13 KB. Here the files that most runs load together become one, by what RUNS cost.
//
// Pages must not notice. If a page needs one part of a file at once and another part later, its
// bundler loads the whole file and its imports at once. So files are joined if the same `import()`s
// of pages lead to them, and they lead to the same large files. Small files that every page of one
// kind has are joined anyway. Files that only Node loads are never joined with files of pages.
//
// Tried: one file without splitting. It needs a copy of the library beside the program (900 KB
// compressed), and took 142 ms where the files took 126, since it parses everything.
import { basename } from 'node:path';
import { rolldown } from 'rolldown';
import { parseAst } from 'rolldown/parseAst';
import { walk } from './mark-pure.mjs';

/** Milliseconds of a processor for a file, and for a byte of it. */
const FILE = 0.5;
const BYTE = 30e-6;
/** Bytes of a file and its imports that a page may load at once although it needs them later. */
const SMALL = 10_000;
/** Size from which a page must not load a file at once if it needs it later. */
const HEAVY = 4000;

const PROGRAM = 'src/cli/program.ts';
const CHECK = 'src/cli/commands/check.ts';
const BUILD = ['src/cli/commands/build.ts', 'src/cli/make/make-job.ts'];
const MESHES = ['src/readers/formats.ts', 'src/cli/inputs/mesh.ts'];
const CODECS = {
  gi: 'src/representations/gi/format/codec.ts',
  kdop: 'src/representations/kdop/format.ts',
  obb: 'src/representations/obb/format.ts',
  voxel: 'src/representations/voxel/format.ts',
  frep: 'src/representations/frep/format.ts',
};
const MAKERS = {
  gi: 'src/representations/gi/make/index.ts',
  kdop: 'src/representations/kdop/make.ts',
  obb: 'src/representations/obb/make/index.ts',
  voxel: 'src/representations/voxel/make/index.ts',
};
const codeOf = (/** @type {string} */ kind) => `src/representations/${kind}/index.ts`;
const commandOf = (/** @type {string} */ name) => `src/cli/commands/${name}.ts`;

/**
 * Modules that runs of the program load by `import()`, and the frequency of such runs. A wrong list
 * only costs time; test/cli/start-up.test.ts counts files.
 *
 * @type {[weight: number, roots: readonly string[]][]}
 */
const RUNS = [
  [4, []], // --version, --help, and what is wrong
  ...Object.entries(CODECS).map(
    ([kind, codec]) =>
      /** @type {[number, string[]]} */ ([kind === 'obb' ? 4 : kind === 'frep' ? 1 : 2, [CHECK, codec, codeOf(kind)]]),
  ),
  [8, [CHECK, ...MESHES, codeOf('obb'), MAKERS.obb]],
  ...Object.entries(MAKERS).map(
    ([kind, maker]) => /** @type {[number, string[]]} */ ([kind === 'gi' || kind === 'obb' ? 8 : 2, [...BUILD, maker]]),
  ),
  [2, BUILD.slice(0, 1)],
  ...['info', 'verify', 'export'].map(
    (name) => /** @type {[number, string[]]} */ ([1, [commandOf(name), CODECS.obb, codeOf('obb')]]),
  ),
  [1, [commandOf('lint'), 'src/readers/formats.ts', 'src/containers/tiff-directory.ts']],
  [2, [commandOf('scene'), 'src/readers/formats.ts', codeOf('obb'), codeOf('kdop'), 'src/solid/class-of.ts']],
  [1, [commandOf('cubes'), 'src/readers/formats.ts', ...Object.keys(CODECS).map(codeOf)]],
];
/** A file whose name is not known outside the bundle. */
const CHUNK = /^chunk-.+\.js$/;
/** Frequency of a run for modules that RUNS do not list. */
const SELDOM = 0.02;

/**
 * @typedef {object} Atom a file of esbuild's
 * @property {string} text without imports that take nothing of a file: no module has effects
 * @property {string[]} statics files that it imports
 * @property {string[]} dynamics files that it loads by `import()`
 * @property {string[]} roots modules that it is loaded for: entries, or targets of `import()`
 * @property {boolean} isApart true if it stays as it is
 */
/**
 * @typedef {object} File one of esbuild's
 * @property {string} name
 * @property {string} text
 * @property {string | undefined} root the module that it is loaded for, if there is one
 * @property {boolean} isApart
 */
/**
 * @typedef {object} Entries
 * @property {readonly string[]} library names of entries of the library, without `.js`
 * @property {readonly string[]} core those of them that pages of one kind load
 * @property {readonly string[]} node those of them that pages do not load
 * @property {readonly string[]} unseen modules that bundlers of pages must not see
 */

/** Without imports that take nothing of a file. @param {string} text */
const withoutBareImports = (text) => text.replaceAll(/^import "\.\/[^"]+";\n/gm, '');

/** Which files a file imports, and loads by `import()`. @param {string} text */
function importsOf(text) {
  const program = /** @type {import('./mark-pure.mjs').Node} */ (/** @type {unknown} */ (parseAst(text)));
  /** @type {string[]} */
  const statics = [];
  /** @type {string[]} */
  const dynamics = [];
  walk(program, ({ type, source }) => {
    if (source?.type !== 'Literal' || !source.value.startsWith('./')) return;
    (type === 'ImportExpression' ? dynamics : statics).push(basename(source.value));
  });
  return { statics, dynamics };
}

/** How a module that is loaded is called: `check`, `obb`, `obb_make`. @param {string} module */
const nounOf = (module) =>
  module
    .replace(/^src\/(cli\/commands|cli|representations)\//, '')
    .replace(/(\/index)?\.ts$/, '')
    .replaceAll(/\W+/g, '_');

/** @param {string} name @param {ReadonlyMap<string, Atom>} atoms */
const isFixed = (name, atoms) => !CHUNK.test(name) || atoms.get(name)?.isApart === true;

/**
 * The file that a file only hands on: `import { a } from './other.js'; export { a };`.
 *
 * @param {string} text
 */
function handedOnBy(text) {
  const [, first, file, second = first, more = file] =
    /^(?:\/\/.*\n)*(?:import|export) \{([^}]*)\} from "\.\/([^"]+)";\s*(?:export \{([^}]*)\}(?: from "\.\/([^"]+)")?;)?\s*$/.exec(
      text,
    ) ?? [];
  if (first === undefined || file !== more || `${first} ${second}`.includes(' as ')) return undefined;
  const names = (/** @type {string} */ list) =>
    list
      .split(',')
      .map((name) => name.trim())
      .sort()
      .join();
  return names(first) === names(second) ? file : undefined;
}

/**
 * Leads an `import()` past files that only hand on another one.
 *
 * @param {Map<string, string>} texts by the files' names
 * @param {(name: string) => boolean} mayGo
 * @returns {Map<string, string>} the files that are left out, and what they hand on
 */
function skipHanders(texts, mayGo) {
  /** @type {Map<string, string>} */
  const handers = new Map(
    [...texts].flatMap(([name, text]) => {
      const target = mayGo(name) ? handedOnBy(text) : undefined;
      return target ? [[name, target]] : [];
    }),
  );
  for (const [name, target] of handers) {
    texts.delete(name);
    handers.set(name, handers.get(target) ?? target);
  }
  for (const [name, text] of texts) {
    const led = text.replaceAll(/\bimport\("\.\/([^"]+)"\)/g, (all, target) => {
      const other = handers.get(target);
      return other ? `import("./${other}")` : all;
    });
    texts.set(name, led);
  }
  return handers;
}

/**
 * The files that some files import, and these.
 *
 * @param {ReadonlyMap<string, Atom>} atoms
 * @param {Iterable<string>} from
 * @param {(atom: Atom) => Iterable<string>} next
 */
function closureOf(atoms, from, next = ({ statics }) => statics) {
  const reached = new Set(from);
  for (const name of reached) for (const target of next(/** @type {Atom} */ (atoms.get(name)))) reached.add(target);
  return reached;
}

/**
 * The possible loaders of each file: only files with the same loaders are joined. Also the files
 * that bundlers of pages see as targets of `import()`.
 *
 * @param {ReadonlyMap<string, Atom>} atoms
 * @param {Entries} entries
 * @returns {{ classes: Map<string, string>, visible: Set<string> }}
 */
function classesOf(atoms, { library, core, node, unseen }) {
  const hidden = new Set(
    [...atoms].flatMap(([name, { roots }]) => (roots.some((root) => unseen.includes(root)) ? [name] : [])),
  );
  const seen = (/** @type {Atom} */ { statics, dynamics }) => [
    ...statics,
    ...dynamics.filter((name) => !hidden.has(name)),
  ];
  const files = library.map((name) => `${name}.js`);
  const ofPages = closureOf(
    atoms,
    files.filter((_, i) => !node.includes(library[i])),
    seen,
  );
  const ofLibrary = closureOf(atoms, files, seen);
  const ofKinds = closureOf(atoms, files, ({ statics, dynamics }) => [...statics, ...dynamics]);
  const visible = new Set(
    [...ofLibrary].flatMap((name) => atoms.get(name)?.dynamics.filter((target) => !hidden.has(target)) ?? []),
  );
  const later = [...visible].sort().map((name) => closureOf(atoms, [name]));
  const cores = core.map((name) => closureOf(atoms, [`${name}.js`]));
  const bytesOf = (/** @type {string} */ name) =>
    [...closureOf(atoms, [name])].reduce((sum, file) => sum + (atoms.get(file)?.text.length ?? 0), 0);
  const isCore = (/** @type {string} */ name) =>
    cores.every((closure) => closure.has(name)) &&
    (!later.some((closure) => closure.has(name)) || bytesOf(name) < SMALL);
  // Some bundlers take along what a file imports, even if the part that needs it is left out.
  const heavy = [...new Set(later.flatMap((closure) => [...closure]))].filter(
    (name) => !isCore(name) && (atoms.get(name)?.text.length ?? 0) > HEAVY,
  );
  const heavyOf = (/** @type {string} */ name) => {
    const closure = closureOf(atoms, [name]);
    return heavy.map((file) => Number(closure.has(file))).join('');
  };
  const classOf = (/** @type {string} */ name) => {
    if (!ofKinds.has(name)) return 'program';
    if (!ofLibrary.has(name)) return 'kinds';
    const who = isCore(name) ? 'core' : ofPages.has(name) ? 'page' : 'node';
    return `${who} ${isCore(name) ? '' : later.map((closure) => Number(closure.has(name))).join('')} ${heavyOf(name)}`;
  };
  return { classes: new Map([...atoms.keys()].map((name) => [name, classOf(name)])), visible };
}

/**
 * The frequency of each run, and for each file the numbers of the runs that load it.
 *
 * @param {ReadonlyMap<string, Atom>} atoms
 */
function loadsOf(atoms) {
  const files = new Map([...atoms].flatMap(([name, { roots }]) => roots.map((root) => [root, name])));
  const fileOf = (/** @type {string} */ root) => {
    const name = files.get(root);
    if (!name) throw new Error(`scripts/join-chunks.mjs: ${root}: expected a module that is loaded by import()`);
    return name;
  };
  const runs = [
    ...RUNS.map(([weight, modules]) => ({ weight, from: [PROGRAM, ...modules].map(fileOf) })),
    ...[...new Set(files.values())].map((name) => ({ weight: SELDOM, from: [name] })),
  ].map(({ weight, from }) => ({ weight, reached: closureOf(atoms, from) }));
  return {
    weights: runs.map(({ weight }) => weight),
    loads: new Map([...atoms.keys()].map((name) => [name, runs.map(({ reached }) => reached.has(name))])),
  };
}

/**
 * @typedef {object} Group files that become one
 * @property {string[]} names
 * @property {number} bytes
 * @property {boolean[]} loads by the numbers of runs
 * @property {string} kind by whom it may be loaded
 * @property {'' | 'visible' | 'unseen'} target whether pages' bundlers see the `import()`s of it
 */

/** @param {Group} a @param {Group} b */
const mayJoin = (a, b) => a !== b && a.kind === b.kind && (!a.target || !b.target || a.target === b.target);

/** Groups of files, and what it saves to join two of them. */
class Groups {
  /** @type {Map<string, Group>} */
  #of = new Map();
  /** @param {ReadonlyMap<string, Atom>} atoms @param {Entries} entries */
  constructor(atoms, entries) {
    this.atoms = atoms;
    const { classes, visible } = classesOf(atoms, entries);
    const { weights, loads } = loadsOf(atoms);
    this.weights = weights;
    for (const [name, { text, roots }] of atoms) {
      const isUnseen = roots.some((root) => entries.unseen.includes(root));
      const [kind = '', load = []] = [classes.get(name), loads.get(name)];
      const target = visible.has(name) ? 'visible' : isUnseen ? 'unseen' : '';
      this.#of.set(name, { names: [name], bytes: text.length, loads: [...load], kind, target });
    }
  }

  /** @returns {Set<Group>} */
  all() {
    return new Set(this.#of.values());
  }

  /** @param {Group} group @returns {Group[]} */
  #next({ names }) {
    return names.flatMap(
      (name) => this.atoms.get(name)?.statics.map((file) => /** @type {Group} */ (this.#of.get(file))) ?? [],
    );
  }

  /**
   * Groups and what they import.
   *
   * @param {Iterable<Group>} from
   * @param {readonly Group[]} [without]
   */
  #closure(from, without = []) {
    const seen = new Set(from);
    for (const group of seen) for (const next of this.#next(group)) if (!without.includes(next)) seen.add(next);
    return seen;
  }

  /**
   * True if one leads to the other through a third file: joined, they would be a circle.
   *
   * @param {Group} a
   * @param {Group} b
   */
  areRing(a, b) {
    const around = (/** @type {Group} */ from, /** @type {Group} */ to) =>
      this.#closure(this.#next(from).filter((group) => group !== from && group !== to)).has(to);
    return around(a, b) || around(b, a);
  }

  /**
   * Milliseconds saved by joining two groups: runs of both load a file less, others load more.
   *
   * @param {Group} a
   * @param {Group} b
   */
  gain(a, b) {
    let gain = 0;
    for (const [one, other] of [
      [a, b],
      [b, a],
    ]) {
      const more = [...this.#closure([other], [one])];
      for (const [i, weight] of this.weights.entries()) {
        if (!one.loads[i]) continue;
        if (other.loads[i]) gain += (weight * FILE) / 2;
        else
          for (const group of more)
            if (!group.loads[i]) gain -= weight * (group.bytes * BYTE + (group === other ? 0 : FILE));
      }
    }
    return gain;
  }

  /** @param {Group} a @param {Group} b @returns {Group} */
  join(a, b) {
    const joined = { ...a, names: [...a.names, ...b.names], bytes: a.bytes + b.bytes, target: a.target || b.target };
    joined.loads = a.loads.map((isLoaded, i) => isLoaded || b.loads[i]);
    for (const name of joined.names) this.#of.set(name, joined);
    for (const { loads } of this.#closure([joined])) for (const [i, is] of joined.loads.entries()) loads[i] ||= is;
    return joined;
  }
}

/**
 * Repeatedly joins the two files with the largest saving.
 *
 * @param {ReadonlyMap<string, Atom>} atoms
 * @param {Entries} entries
 * @returns {Group[]}
 */
function groupsOf(atoms, entries) {
  const all = new Groups(atoms, entries);
  const groups = new Set([...all.all()].filter(({ names: [name] }) => !isFixed(name, atoms)));
  /** @type {{ a: Group, b: Group, gain: number }[]} */
  let pairs = [];
  const consider = (/** @type {Group} */ a, /** @type {Iterable<Group>} */ others) => {
    for (const b of others) {
      const gain = mayJoin(a, b) ? all.gain(a, b) : 0;
      if (gain > 0) pairs.push({ a, b, gain });
    }
  };
  const list = [...groups];
  for (const [i, a] of list.entries()) consider(a, list.slice(i + 1));
  while (pairs.length > 0) {
    const best = pairs.reduce((most, pair) => (pair.gain > most.gain ? pair : most));
    const { a, b, gain } = best;
    // The groups may have changed since it was computed.
    best.gain = all.areRing(a, b) ? 0 : all.gain(a, b);
    if (best.gain <= 0) pairs.splice(pairs.indexOf(best), 1);
    if (best.gain < gain) continue;
    const joined = all.join(a, b);
    pairs = pairs.filter((pair) => pair.a !== a && pair.a !== b && pair.b !== a && pair.b !== b);
    groups.delete(a);
    groups.delete(b);
    consider(joined, groups);
    groups.add(joined);
  }
  return [...groups];
}

/**
 * Joins esbuild's files.
 *
 * @param {readonly File[]} files
 * @param {Entries} entries
 * @returns {Promise<{ name: string, text: string, roots: string[] }[]>} `roots`: the modules in it
 *   that are loaded by `import()`
 */
export async function joinChunks(files, entries) {
  const texts = new Map(files.map(({ name, text }) => [name, withoutBareImports(text)]));
  const atomsOf = () =>
    new Map(
      files.flatMap(({ name, root, isApart }) => {
        const text = texts.get(name);
        return text === undefined ? [] : [[name, { text, ...importsOf(text), roots: root ? [root] : [], isApart }]];
      }),
    );
  // A page's bundler keeps all that a file exports whose `import()` it sees.
  const seen = [...classesOf(atomsOf(), entries).visible];
  const handers = skipHanders(texts, (name) => CHUNK.test(name) && !seen.includes(name));
  const atoms = atomsOf();
  for (const { name, root } of files) {
    const target = handers.get(name);
    if (target && root) atoms.get(target)?.roots.push(root);
  }
  const labels = new Map(
    groupsOf(atoms, entries).flatMap(({ names }) => {
      const label = `${
        names
          .flatMap((name) => atoms.get(name)?.roots.map(nounOf) ?? [])
          .sort()
          .join('.') || 'shared'
      } ${names[0]}`;
      return names.map((name) => [name, label]);
    }),
  );
  const chunks = await chunksOf(atoms, labels);
  const written = new Map(chunks.map(({ fileName, code }) => [fileName, withoutBareImports(code)]));
  const kept = chunks.flatMap(({ fileName, facadeModuleId }) =>
    !CHUNK.test(fileName) || seen.includes(basename(facadeModuleId ?? '')) ? [fileName] : [],
  );
  skipHanders(written, (name) => !kept.includes(name));
  return chunks.flatMap(({ fileName: name, moduleIds }) => {
    const text = written.get(name);
    return text === undefined
      ? []
      : [{ name, text, roots: moduleIds.flatMap((id) => atoms.get(basename(id))?.roots ?? []) }];
  });
}

/**
 * Files with one label become one.
 *
 * @param {ReadonlyMap<string, Atom>} atoms
 * @param {ReadonlyMap<string, string>} labels by the files' names
 */
async function chunksOf(atoms, labels) {
  const bundle = await rolldown({
    input: Object.fromEntries(
      [...atoms.keys()].flatMap((name) => (CHUNK.test(name) ? [] : [[name.replace(/\.js$/, ''), `./${name}`]])),
    ),
    external: (id) => !id.startsWith('./'),
    treeshake: false,
    // A target of `import()` may also be imported statically.
    onLog: (level, log, write) => log.code === 'INEFFECTIVE_DYNAMIC_IMPORT' || write(level, log),
    preserveEntrySignatures: 'allow-extension',
    plugins: [
      {
        name: 'files of esbuild',
        resolveId: (id) => (id.startsWith('./') ? `./${basename(id)}` : null),
        load: (id) => atoms.get(basename(id))?.text ?? null,
      },
    ],
  });
  const { output } = await bundle.generate({
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: ({ name }) => `chunk-${name.split(' ')[0].replace(/^chunk-|-[A-Z0-9]{8}$/g, '')}-[hash].js`,
    hashCharacters: 'base36',
    minifyInternalExports: false,
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: (id) => labels.get(basename(id)) ?? null, debugName: 'files that are read together' }],
    },
  });
  await bundle.close();
  return output.flatMap((chunk) => (chunk.type === 'chunk' ? [chunk] : []));
}
