// Marks the values of constants in the bundle as pure. No module of the library has side effects,
// and package.json says so, but the bundle has many modules in one file. With the marks, a bundler
// of a page can leave out unused constants as it leaves out unused modules.
import { parseAst } from 'rolldown/parseAst';

/** Optional packages, loaded when needed, which bundlers of pages must not see. */
const UNSEEN = ['webgpu', 'web-ifc', 'sharp', 'piscina'];
/** Comments that make Vite and webpack keep an import as it is. */
const AS_IT_IS = '/* @vite-ignore *//* webpackIgnore: true */';
const PURE = '/* @__PURE__ */';

/** @typedef {{ type: string, start: number, end: number } & Record<string, any>} Node */

/** Values that are known to do nothing when they are made. @param {Node} node @returns {boolean} */
function isPlain(node) {
  switch (node.type) {
    case 'Literal':
    case 'Identifier':
    case 'ArrowFunctionExpression':
    case 'FunctionExpression':
    case 'ClassExpression':
      return true;
    case 'UnaryExpression':
      return isPlain(node.argument);
    case 'BinaryExpression':
      return [node.left, node.right].every((side) => side.type !== 'Identifier' && isPlain(side));
    case 'TemplateLiteral':
      return node.expressions.length === 0;
    case 'ArrayExpression':
      return node.elements.every((/** @type {Node | null} */ element) => element && isPlain(element));
    case 'ObjectExpression':
      return node.properties.every(
        (/** @type {Node} */ property) => property.type === 'Property' && !property.computed && isPlain(property.value),
      );
    default:
      return false;
  }
}

/** The text before and after a constant's value. @param {Node} init @returns {[string, string]} */
function mark(init) {
  if (isPlain(init) || init.type === 'AwaitExpression') return ['', ''];
  return isPlainCall(init) ? [PURE, ''] : [`${PURE}(()=>(`, '))()'];
}

/**
 * A call for which the mark suffices: bundlers keep calls among the arguments of one that they
 * leave out, and a mark is for the first call of a chain.
 *
 * @param {Node} node
 */
function isPlainCall({ type, callee, arguments: values, optional }) {
  if ((type !== 'NewExpression' && type !== 'CallExpression') || optional) return false;
  const isName =
    callee.type === 'Identifier' || (callee.type === 'MemberExpression' && callee.object.type === 'Identifier');
  return isName && values.every(isPlain);
}

/** Calls `visit` with every node. @param {Node} node @param {(node: Node) => void} visit */
export function walk(node, visit) {
  visit(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (child?.type) walk(child, visit);
  }
}

/**
 * Imports by a name that is no literal, or is one of these.
 *
 * @param {Node} program
 * @param {readonly string[]} unseen
 * @returns {Node[]}
 */
function unseenImports(program, unseen) {
  /** @type {Node[]} */
  const found = [];
  walk(program, (node) => {
    const source = node.type === 'ImportExpression' && node.source;
    if (source && (source.type !== 'Literal' || unseen.includes(source.value))) found.push(source);
  });
  return found;
}

/**
 * A file of a bundle, with its constants marked.
 *
 * @param {string} text
 * @param {readonly string[]} files files of the bundle that bundlers of pages must not see, either
 */
export function marked(text, files = []) {
  const program = /** @type {Node} */ (/** @type {unknown} */ (parseAst(text)));
  /** @type {[at: number, what: string][]} */
  const edits = [];
  for (const statement of program.body) {
    if (statement.type !== 'VariableDeclaration') continue;
    for (const { id, init } of statement.declarations) {
      if (!init || id.type !== 'Identifier') continue;
      const [before, behind] = mark(init);
      if (before) edits.push([init.start, before]);
      if (behind) edits.push([init.end, behind]);
    }
  }
  if (text.includes('import('))
    for (const { type, start, end } of unseenImports(program, [...UNSEEN, ...files]))
      edits.push([start, `${AS_IT_IS}${type === 'Literal' ? '[' : ''}`], [end, type === 'Literal' ? '].join()' : '']);
  let out = '';
  let at = 0;
  for (const [place, what] of edits.sort((p, q) => p[0] - q[0])) {
    out += text.slice(at, place) + what;
    at = place;
  }
  return out + text.slice(at);
}
