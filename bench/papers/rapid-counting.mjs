// Counts the floating-point operations of functions as they run, by rewriting their source: each
// + - * /, each comparison, root and absolute value becomes a call that counts and computes.
// Indices and the heads of loops are no operations.
import { parseAst } from 'rolldown/parseAst';

/** @typedef {'add' | 'multiply' | 'divide' | 'negate' | 'root' | 'abs' | 'compare'} Operation */
/** @typedef {{ type: string, start: number, end: number } & Record<string, any>} Node */

/** @type {Record<string, string>} */
const BINARY = { '+': 'add', '-': 'subtract', '*': 'multiply', '/': 'divide', '>': 'more', '<': 'less' };
/** @type {Record<string, string>} */
const CALLS = { 'Math.sqrt': 'root', 'Math.abs': 'abs' };

export class Counter {
  constructor() {
    this.reset();
  }

  reset() {
    /** @type {Record<Operation, number>} subtractions are additions */
    this.counts = { add: 0, multiply: 0, divide: 0, negate: 0, root: 0, abs: 0, compare: 0 };
  }

  /** Operations but changes of sign and comparisons. */
  get all() {
    const { add, multiply, divide, root, abs } = this.counts;
    return add + multiply + divide + root + abs;
  }

  /** @param {Operation} kind @template T @param {T} result */
  one(kind, result) {
    this.counts[kind]++;
    return result;
  }

  add = (/** @type {number} */ x, /** @type {number} */ y) => this.one('add', x + y);
  subtract = (/** @type {number} */ x, /** @type {number} */ y) => this.one('add', x - y);
  multiply = (/** @type {number} */ x, /** @type {number} */ y) => this.one('multiply', x * y);
  divide = (/** @type {number} */ x, /** @type {number} */ y) => this.one('divide', x / y);
  more = (/** @type {number} */ x, /** @type {number} */ y) => this.one('compare', x > y);
  less = (/** @type {number} */ x, /** @type {number} */ y) => this.one('compare', x < y);
  negate = (/** @type {number} */ x) => this.one('negate', -x);
  root = (/** @type {number} */ x) => this.one('root', Math.sqrt(x));
  abs = (/** @type {number} */ x) => this.one('abs', Math.abs(x));
}

/**
 * The functions, counting.
 *
 * @param {Record<string, (...args: any[]) => any>} functions may call each other
 * @param {Counter} counter
 * @param {string} [scope] declarations of what else they name
 * @returns {Record<string, (...args: any[]) => any>}
 */
export function counted(functions, counter, scope = '') {
  const texts = Object.values(functions).map((each) => rewritten(each.toString()));
  const names = Object.keys(functions).join(', ');
  return new Function('counter', `${scope}\n${texts.join('\n')}\nreturn { ${names} };`)(counter);
}

/** @param {string} source */
function rewritten(source) {
  /**
   * Its text with these parts rewritten.
   *
   * @param {Node} node
   * @param {readonly Node[]} parts
   * @returns {string}
   */
  const around = (node, parts) => {
    let [text, at] = ['', node.start];
    for (const part of parts) {
      text += source.slice(at, part.start) + textOf(part);
      at = part.end;
    }
    return text + source.slice(at, node.end);
  };
  /** @param {Node} node @returns {string} */
  const textOf = (node) => {
    if (node.type === 'MemberExpression') return around(node, []);
    if (node.type === 'ForStatement') return around(node, [node.body]);
    if (node.type === 'AssignmentExpression' && node.operator !== '=')
      throw new Error(`an assignment that computes is not counted: ${around(node, [])}`);
    if (node.type === 'BinaryExpression' && BINARY[node.operator])
      return `counter.${BINARY[node.operator]}(${textOf(node.left)}, ${textOf(node.right)})`;
    if (node.type === 'UnaryExpression' && node.operator === '-') return `counter.negate(${textOf(node.argument)})`;
    if (node.type === 'CallExpression') {
      const name = CALLS[around(node.callee, [])];
      if (name) return `counter.${name}(${node.arguments.map(textOf).join(', ')})`;
    }
    return around(node, childrenOf(node));
  };
  return textOf(/** @type {any} */ (parseAst(source)));
}

/** @param {Node} node @returns {Node[]} in the source's order */
const childrenOf = (node) =>
  Object.values(node)
    .flat()
    .filter((value) => typeof value?.type === 'string' && typeof value.start === 'number')
    .toSorted((a, b) => a.start - b.start);
