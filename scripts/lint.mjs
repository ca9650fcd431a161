// The second half of `npm run lint`: the house rules that Biome cannot check. Biome has no rule for
// any of them, and its plugins see neither comments nor a list of exceptions.
//
// - comments: no comment reaches past column 100.
// - booleans: no function that a module exports takes a positional boolean. It may be the only
//   parameter if callers must give it: setVisible(isVisible).
// - parameters: no function that a module exports takes more than six parameters.
//
// scripts/lint-baseline.txt lists the places that are older than these rules, one per line: rule,
// file, and text. A long comment is listed by a digest of its line. The list can only shrink: an
// entry without a place is an error, and `npm run lint -- --prune` removes it. Code that moves to
// another file takes its entries along by the same command.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'rolldown/utils';

const FOLDERS = ['src', 'test', 'scripts', 'bench', 'bin'];
const BASELINE = 'scripts/lint-baseline.txt';
const PRUNE = 'npm run lint -- --prune';
const MOST_COLUMNS = 100;
const MOST_PARAMETERS = 6;

/** Exceptions from the last two rules, and why they stay. */
const ALLOWED = {
  'requireThat(condition: boolean)': 'an assertion: TypeScript narrows nothing but a parameter',
  'requireField(condition: boolean)': 'an assertion, too',
  'NodeTeller(isApart: boolean)': 'the result of a test that the innermost loop hands on',
  'orient2d(7 parameters)': 'an exact predicate of coordinates',
  'orient3d(8 parameters)': 'an exact predicate of coordinates',
  'impactOfDeforming(7 parameters)': 'callers of the published package pass these',
};

/**
 * @typedef {object} Problem
 * @property {'comments' | 'booleans' | 'parameters'} rule
 * @property {string} file
 * @property {number} line
 * @property {string} entry what the list has of it, behind the rule and the file
 * @property {string} message
 */
/** @typedef {{ type: string, start: number, end: number } & Record<string, any>} Node */
/** @typedef {{ start: number, end: number, value: string }} Comment */

/**
 * Lines that are too wide and end in a comment. Without `comments`, a line that begins like a
 * comment counts as one.
 *
 * @param {string} file
 * @param {string} text
 * @param {readonly Comment[]} [comments]
 * @returns {Problem[]}
 */
function wideComments(file, text, comments) {
  const endsInComment = (/** @type {string} */ line, /** @type {number} */ end) =>
    comments?.some((comment) => comment.start < end && comment.end >= end) ?? /^\s*(\/\/|\/?\*)/.test(line);
  /** @type {Problem[]} */
  const found = [];
  let start = 0;
  for (const [i, whole] of text.split('\n').entries()) {
    const content = whole.trimEnd();
    const columns = Array.from(content).length;
    if (columns > MOST_COLUMNS && endsInComment(content, start + content.length)) {
      const entry = createHash('sha256').update(content.trim()).digest('hex').slice(0, 8);
      const message = `comments: expected a comment of at most ${MOST_COLUMNS} columns, found ${columns}`;
      found.push({ rule: 'comments', file, line: i + 1, entry, message });
    }
    start += whole.length + 1;
  }
  return found;
}

/**
 * True for boolean, its literals, and unions of these with undefined and null.
 *
 * @param {Node | undefined} type
 * @returns {boolean}
 */
function isBoolean(type) {
  switch (type?.type) {
    case 'TSBooleanKeyword':
      return true;
    case 'TSLiteralType':
      return typeof type.literal.value === 'boolean';
    case 'TSParenthesizedType':
      return isBoolean(type.typeAnnotation);
    case 'TSUnionType': {
      const types = type.types.filter((/** @type {Node} */ { type }) => !/^TS(Undefined|Null)Keyword$/.test(type));
      return types.length > 0 && types.every(isBoolean);
    }
    default:
      return false;
  }
}

/**
 * @param {Node} parameter
 * @param {readonly string[]} documented names that a JSDoc comment types as boolean
 */
function isBooleanParameter(parameter, documented) {
  const { type, left, right } = parameter.type === 'TSParameterProperty' ? parameter.parameter : parameter;
  const target = type === 'AssignmentPattern' ? left : (parameter.parameter ?? parameter);
  return (
    isBoolean(target.typeAnnotation?.typeAnnotation) ||
    typeof right?.value === 'boolean' ||
    documented.includes(target.name)
  );
}

/** @param {Node} parameter */
const isRequired = ({ type, optional }) => type === 'Identifier' && !optional;

/**
 * The functions that a declaration, a value or a type offers to its importers: itself, its public
 * methods, its members, and a union's alternatives.
 *
 * @param {string} name
 * @param {Node | null | undefined} node
 * @param {number} [start] where a JSDoc comment of it ends
 * @returns {Generator<{ name: string, params: Node[], start: number }>}
 */
function* functionsOf(name, node, start = node?.start ?? 0) {
  const members = (/** @type {Node[]} */ list) =>
    list
      .filter(
        ({ kind, accessibility, key }) =>
          kind !== 'set' && accessibility !== 'private' && key?.type !== 'PrivateIdentifier',
      )
      .map((member) => /** @type {const} */ ([`${name}.${member.key?.name ?? member.key?.value ?? 'new'}`, member]));
  switch (node?.type) {
    case 'VariableDeclaration':
      for (const { id, init } of node.declarations) {
        yield* functionsOf(id.name, init, start);
        yield* functionsOf(id.name, id.typeAnnotation, start);
      }
      return;
    case 'ClassDeclaration':
    case 'ClassExpression':
      for (const [at, member] of members(node.body.body)) {
        yield* functionsOf(at, member.value, member.start);
        yield* functionsOf(at, member.typeAnnotation);
      }
      return;
    case 'ObjectExpression':
      for (const [at, member] of members(node.properties)) yield* functionsOf(at, member.value, member.start);
      return;
    case 'TSInterfaceDeclaration':
      for (const [at, member] of members(node.body.body)) yield* functionsOf(at, member);
      return;
    case 'TSTypeLiteral':
      for (const [at, member] of members(node.members)) yield* functionsOf(at, member);
      return;
    case 'TSUnionType':
    case 'TSIntersectionType':
      for (const type of node.types) yield* functionsOf(name, type);
      return;
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
      yield* functionsOf(name, node.expression, start);
      return;
    case 'TSPropertySignature':
    case 'TSTypeAliasDeclaration':
    case 'TSTypeAnnotation':
    case 'TSParenthesizedType':
      yield* functionsOf(name, node.typeAnnotation);
      return;
    default:
      if (Array.isArray(node?.params)) yield { name, params: node.params, start };
  }
}

/**
 * Declarations that a module exports: name, node, and the start of the statement.
 *
 * @param {Node} program
 * @returns {[string, Node, number][]}
 */
function exported(program) {
  const names = new Set();
  for (const { type, source, specifiers, declaration } of program.body) {
    if (type === 'ExportNamedDeclaration' && !source) for (const { local } of specifiers) names.add(local.name);
    if (type === 'ExportDefaultDeclaration' && declaration.type === 'Identifier') names.add(declaration.name);
  }
  return program.body.flatMap((/** @type {Node} */ statement) => {
    const node = /^Export(Named|Default)Declaration$/.test(statement.type) ? statement.declaration : statement;
    if (!node) return [];
    const name = node.id?.name ?? 'default';
    const isExported =
      node !== statement ||
      names.has(name) ||
      node.declarations?.some((/** @type {Node} */ { id }) => names.has(id.name));
    return isExported ? [[name, node, statement.start]] : [];
  });
}

/**
 * Positional booleans and too many parameters of a module's exports.
 *
 * @param {string} file
 * @param {string} text
 * @param {Node} program
 * @param {readonly Comment[]} comments
 * @returns {Problem[]}
 */
function badSignatures(file, text, program, comments) {
  /** Names of boolean parameters in the comment that ends there. @param {number} start */
  const documentedAt = (start) => {
    const comment = comments.find(({ end }) => end <= start && !text.slice(end, start).trim());
    return Array.from(comment?.value.matchAll(/@param \{boolean\} \[?(\w+)/g) ?? [], ([, name]) => name);
  };
  /** @type {Problem[]} */
  const found = [];
  for (const [name, node, start] of exported(program))
    for (const offered of functionsOf(name, node, start)) {
      const documented = documentedAt(offered.start);
      const { params } = offered;
      if (params.length > MOST_PARAMETERS) {
        const entry = `${offered.name}(${params.length} parameters)`;
        const line = text.slice(0, params[0].start).split('\n').length;
        const message = `parameters: expected at most ${MOST_PARAMETERS}, found ${entry}`;
        found.push({ rule: 'parameters', file, line, entry, message });
      }
      for (const parameter of params) {
        if (!isBooleanParameter(parameter, documented) || (params.length === 1 && isRequired(parameter))) continue;
        const entry = `${offered.name}(${text.slice(parameter.start, parameter.end).replaceAll(/\s+/g, ' ')})`;
        const line = text.slice(0, parameter.start).split('\n').length;
        const message = `booleans: expected an option that has a name, found the positional boolean ${entry}`;
        found.push({ rule: 'booleans', file, line, entry, message });
      }
    }
  return found;
}

/**
 * All places in a file that break a rule.
 *
 * @param {string} file its path, with / between names; its ending says what it is
 * @param {string} text
 */
export function problemsOf(file, text) {
  // The parser does not know AssemblyScript, which has no options objects anyway.
  if (/\.(as\.ts|wgsl)$/.test(file)) return wideComments(file, text);
  const parsed = parseSync(file, text, { lang: file.endsWith('.ts') ? 'ts' : 'js' });
  if (parsed.errors.length > 0) throw new Error(`${file}: ${parsed.errors[0].message}`);
  const problems = wideComments(file, text, parsed.comments);
  // `program` is made when it is asked for, and that takes longer than all the rest.
  if (/\bexport\b/.test(text)) {
    const program = /** @type {Node} */ (/** @type {unknown} */ (parsed.program));
    problems.push(...badSignatures(file, text, program, parsed.comments));
  }
  return problems;
}

/** @param {string} root @returns {Problem[]} */
function problemsBelow(root) {
  return FOLDERS.filter((folder) => existsSync(join(root, folder))).flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
      .filter((file) => /\.(ts|mjs|js|wgsl)$/.test(file) && !/\.generated\./.test(file))
      .sort()
      .flatMap((file) => problemsOf(file, readFileSync(join(root, file), 'utf8'))),
  );
}

/** How the list names a problem. @param {Problem} problem */
const listed = ({ rule, file, entry }) => `${rule} ${file} ${entry}`;

/**
 * Removes the first item that matches; returns false if there is none.
 *
 * @template T
 * @param {T[]} items
 * @param {(item: T) => boolean} matches
 */
function take(items, matches) {
  const at = items.findIndex(matches);
  if (at >= 0) items.splice(at, 1);
  return at >= 0;
}

/**
 * Checks a folder against its list.
 *
 * @param {string} root
 * @param {{ prune?: boolean, allowed?: Record<string, string> }} [options] `prune`: rewrites the
 *   list first; `allowed`: reasons by entries, which may be in any file
 * @returns {string[]} a line for each problem
 */
export function lint(root, { prune = false, allowed = {} } = {}) {
  const path = join(root, BASELINE);
  const entries = existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
  const all = problemsBelow(root);
  const problems = all.filter(({ entry }) => !Object.hasOwn(allowed, entry));
  const unused = Object.keys(allowed).filter((entry) => !all.some((problem) => problem.entry === entry));
  let stale = entries.map((text, i) => ({ text, line: i + 1 }));
  let fresh = problems.filter((problem) => !take(stale, ({ text }) => text === listed(problem)));
  if (prune && stale.length > 0) {
    const isMoved = (/** @type {Problem} */ { rule, entry }) =>
      take(stale, ({ text }) => text.startsWith(`${rule} `) && text.endsWith(` ${entry}`));
    fresh = fresh.filter((problem) => !isMoved(problem));
    const kept = problems.filter((problem) => !fresh.includes(problem)).map((problem) => `${listed(problem)}\n`);
    writeFileSync(path, kept.sort().join(''));
    stale = [];
  }
  return [
    ...fresh.map(({ file, line, message }) => `${file}:${line}: ${message}`),
    ...stale.map(({ text, line }) => {
      const [rule, file, ...entry] = text.split(' ');
      return `${BASELINE}:${line}: ${rule}: expected ${entry.join(' ')} in ${file}, found it gone: run ${PRUNE}`;
    }),
    ...unused.map((entry) => `scripts/lint.mjs: expected ${entry} somewhere, found it gone: remove its exception`),
  ];
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const unknown = process.argv.slice(2).find((argument) => argument !== '--prune');
  const root = fileURLToPath(new URL('..', import.meta.url));
  const lines = unknown
    ? [`error: expected --prune or nothing, found ${unknown}`]
    : lint(root, { prune: process.argv.length > 2, allowed: ALLOWED });
  for (const line of lines) console.error(line);
  process.exitCode = unknown ? 2 : Math.min(lines.length, 1);
}
