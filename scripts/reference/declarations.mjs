// Finds the declarations of the package's *.d.ts by name, through imports and exports. TypeScript 7
// has no stable interface for programs yet, so vitest's parser reads them. It does not compute
// types.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { parseAst } from 'vitest/node';

/**
 * @typedef {object} Node of a syntax tree, as ESTree has it
 * @property {string} type
 * @property {number} start
 * @property {number} end
 *
 * @typedef {object} Declaration
 * @property {string} file the *.d.ts, from dist/
 * @property {string} name
 * @property {string} text without `export declare` and comment
 * @property {string} comment with its marks; empty where there is none
 * @property {any} node
 *
 * @typedef {{ file: string, name: string }} Place
 *
 * @typedef {object} Module
 * @property {Map<string, Declaration[]>} own by name; overloads are several
 * @property {Map<string, Place>} imported by the name that it has here
 * @property {Map<string, Place>} exported by the name that others see
 * @property {string[]} stars the files of `export *`
 */

const dist = new URL('../../dist/', import.meta.url);

/** @type {Map<string, Module>} */
const modules = new Map();

/** @param {string} file @returns {Module} */
export function moduleOf(file) {
  const found = modules.get(file) ?? readModule(file);
  modules.set(file, found);
  return found;
}

/** @param {string} file @returns {Module} */
function readModule(file) {
  const text = readFileSync(new URL(file, dist), 'utf8');
  /** @type {Module} */
  const module = { own: new Map(), imported: new Map(), exported: new Map(), stars: [] };
  /** @param {any} source */
  const targetOf = ({ value }) =>
    value.startsWith('.') ? join(dirname(file), value.replace(/\.[jt]s$/, '.d.ts')) : '';
  for (const node of /** @type {any[]} */ (parseAst(text, { lang: 'ts' }).body)) {
    if (node.type === 'ImportDeclaration') {
      for (const { local, imported } of node.specifiers)
        if (imported) module.imported.set(local.name, { file: targetOf(node.source), name: imported.name });
    } else if (node.type === 'ExportAllDeclaration') {
      if (targetOf(node.source)) module.stars.push(targetOf(node.source));
    } else if (node.type === 'ExportNamedDeclaration' && !node.declaration) {
      for (const { local, exported } of node.specifiers) {
        const here = module.imported.get(local.name) ?? { file, name: local.name };
        module.exported.set(exported.name, node.source ? { file: targetOf(node.source), name: local.name } : here);
      }
    } else addOwn(module, file, text, node);
  }
  return module;
}

/**
 * @param {Module} module
 * @param {string} file
 * @param {string} text of the file
 * @param {any} node a statement
 */
function addOwn(module, file, text, node) {
  const declared = node.declaration ?? node;
  const name = declared.id?.name ?? declared.declarations?.[0]?.id?.name;
  if (name === undefined) return;
  const comment = /\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*$/.exec(text.slice(0, node.start))?.[0].trim() ?? '';
  const declaration = {
    file,
    name,
    text: text.slice(node.start, node.end).replace(/^(?:export )?(?:declare )?/, ''),
    comment,
    node: declared,
  };
  module.own.set(name, [...(module.own.get(name) ?? []), declaration]);
  if (node.type === 'ExportNamedDeclaration') module.exported.set(name, { file, name });
}

/** All names that a module exports. @param {string} file @returns {string[]} */
export function namesOf(file) {
  const { exported, stars } = moduleOf(file);
  return [...new Set([...exported.keys(), ...stars.flatMap(namesOf)])];
}

/**
 * The declarations that a module exports under a name; empty if another package declares it.
 *
 * @param {Place} place
 * @returns {Declaration[]}
 */
export function exportedAs({ file, name }) {
  if (file === '') return [];
  const { own, exported, stars } = moduleOf(file);
  const at = exported.get(name);
  if (at && (at.file !== file || at.name !== name)) return exportedAs(at);
  const found = own.get(name);
  if (found) return found;
  for (const star of stars) {
    const there = exportedAs({ file: star, name });
    if (there.length > 0) return there;
  }
  return [];
}

/**
 * The declarations of a name in a file: its own, or imported ones.
 *
 * @param {Place} place
 */
export function meantBy({ file, name }) {
  const { own, imported } = moduleOf(file);
  const from = imported.get(name);
  return own.get(name) ?? (from ? exportedAs(from) : []);
}

/**
 * The interfaces and types that a declaration names.
 *
 * @param {Declaration} declaration
 */
export function typesIn({ file, node }) {
  /** @type {Set<string>} */
  const names = new Set();
  const visit = (/** @type {any} */ at) => {
    if (Array.isArray(at)) return at.forEach(visit);
    if (at === null || typeof at !== 'object') return;
    if (at.type === 'TSTypeReference' && at.typeName.type === 'Identifier') names.add(at.typeName.name);
    if (at.type === 'TSInterfaceHeritage' && at.expression.type === 'Identifier') names.add(at.expression.name);
    for (const value of Object.values(at)) visit(value);
  };
  visit(node);
  return [...names].flatMap((name) => meantBy({ file, name }));
}
