/**
 * Finds defects of a mesh, rule by rule (docs/lint.md): the edges, faces and shells of each object,
 * self-contacts, and objects of suspicious size.
 */
import { OptionError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import { requireMeshArrays, requireOptionTypes, requireThat } from '../base/require.ts';
import type { Asset } from '../engine/representation.ts';
import { converterOf } from '../engine/units.ts';
import { diagonalOf } from '../mesh/extent.ts';
import type { Mesh } from '../mesh/mesh.ts';
import { repeatsOf, shellsOf } from '../mesh/shells.ts';
import { splitByGroups } from '../mesh/split.ts';
import type { Surface } from '../mesh/topology.ts';
import { MOST_WELD, weldMesh } from '../mesh/weld.ts';
import { representationOf } from '../representations/kinds.ts';
import {
  Findings,
  type LintOptions,
  type LintReport,
  type LintRule,
  RULE_NAMES,
  RULES,
  SEVERITIES,
  type Severity,
} from './report.ts';
import { commonWeld, type Joined } from './seams.ts';
import { lintContacts, lintEdges, lintFaces, lintShells } from './surface.ts';

const DEFAULT_MAX_FINDINGS = 10_000;

/** An element is suspect if its size differs by this factor from its siblings' median. */
const SIBLINGS = 1000;
const FEWEST_SIBLINGS = 4;
/** Suspect diagonals in meters: below a tenth of a millimeter, above a hundred kilometers. */
const LEAST_METRES = 1e-4;
const MOST_METRES = 1e5;

interface Element {
  name: string | null;
  surface: Surface;
  source: Uint32Array | null;
}

/**
 * Finds defects of a mesh, or of the triangles that an asset stores. Objects (`o`) of a mesh are
 * checked one by one; use `createScene` to find where two of them meet.
 *
 * Findings use the mesh's triangle numbers. Coincident vertices are merged. All decisions are exact
 * except `scale` and `stray-part`, which compare sizes. Takes about 1 us per triangle.
 *
 * @throws MeshError for invalid meshes; OptionError for cubes and F-reps, which store no mesh, for
 *   an unknown rule or severity, and if all rules are off
 * @example const { findings, summary } = lint(readObj(await readFile('assets/bunny.obj')));
 *          summary.errors // 0
 *          const open = readObj(new TextEncoder().encode('v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n'));
 *          lint(open).findings[0].rule // 'open-edge'
 *          lint(open, { severity: { 'open-edge': 'off' } }).findings.length // 0
 */
export function lint(source: Surface | Mesh | Asset, options: LintOptions = {}): LintReport {
  requireLintOptions(options);
  const severity = severitiesOf(options.severity);
  const { file = null, maxFindings = DEFAULT_MAX_FINDINGS, whole = false } = options;
  const { elements: all, units } = elementsOf(source, whole);
  const { isWanted } = options;
  const elements = isWanted ? all.filter(({ name }) => name === null || isWanted(name)) : all;
  const found = new Findings(severity, file, maxFindings);
  let shellCount = 0;
  let triangles = 0;
  const scaleOf = found.isOn('scale') ? scaleSuspects(elements, options.units ?? units) : () => null;
  const edges: Joined[] = [];
  const joined = elements.map(({ surface }) => (options.weld ? weldMesh(surface, options.weld).mesh : surface));
  for (const [i, { name, source: numbers }] of elements.entries()) {
    const surface = joined[i];
    found.begin({ name, source: numbers });
    const shells = shellsOf(surface);
    shellCount += shells.count;
    triangles += surface.triangles.length / 3;
    const seam = lintEdges(surface, shells, found);
    edges.push({ surface, openEdges: shells.openEdges, seam });
    lintShells(surface, shells, found);
    const cleaned = repeatsOf(shells);
    lintContacts(surface, shells, cleaned, found);
    lintFaces(surface, shells, cleaned, found);
    const message = scaleOf(i);
    if (message !== null) found.add('scale', { triangles: [0], count: 1, point: null, message });
  }
  found.suggestWeld(commonWeld(edges));
  return {
    findings: found.list(),
    summary: { type: 'summary', triangles, elements: elements.length, shells: shellCount, ...found.totals() },
  };
}

function requireLintOptions(options: LintOptions): void {
  requireOptionTypes(options, {
    ...{
      file: 'string',
      severity: 'any',
      maxFindings: 'number',
      whole: 'boolean',
      units: 'string',
      weld: 'number',
      isWanted: 'function',
    },
  });
  const { maxFindings = 0, units, weld = 1 } = options;
  requireThat(weld > 0 && weld <= MOST_WELD, 'weld', 'a length above 0', weld);
  requireThat(Number.isInteger(maxFindings) && maxFindings >= 0, 'maxFindings', 'a whole number from 0', maxFindings);
  if (units !== undefined) converterOf(units, 'm'); // this refuses unknown units
}

export function severitiesOf(asked: LintOptions['severity'] = {}): Record<LintRule, Severity> {
  requireThat(typeof asked === 'object' && asked !== null, 'severity', 'an object of rules', asked);
  for (const [rule, severity] of Object.entries(asked)) {
    if (!Object.hasOwn(RULES, rule)) {
      const near = nearest(rule, RULE_NAMES);
      const rest = near ? `did you mean ${near}?` : `expected ${RULE_NAMES.join(', ')}`;
      throw new OptionError(`severity: no rule is called ${JSON.stringify(rule)}; ${rest}`);
    }
    const isKnown = severity === undefined || SEVERITIES.includes(severity);
    requireThat(isKnown, `severity of ${rule}`, SEVERITIES.join(' or '), severity);
  }
  const given = Object.entries(asked).filter(([, severity]) => severity !== undefined);
  const all = { ...RULES, ...Object.fromEntries(given) };
  if (RULE_NAMES.every((rule) => all[rule] === 'off'))
    throw new OptionError('severity: all rules are off, so that nothing would be looked for');
  return all;
}

function elementsOf(source: Surface | Mesh | Asset, whole: boolean): { elements: Element[]; units: string | null } {
  if (typeof source === 'object' && source !== null && 'representation' in source) {
    const { surface, units, solid, name } = representationOf(source, 'source');
    requireThat(!('isOnDemand' in source), 'source', 'one that was read, not one that is opened', source);
    if (solid || name === 'voxel')
      throw new OptionError(`lint: takes triangles, and ${name} stores none: lint what it was made of`);
    return { elements: [{ name: null, surface: surface(source), source: null }], units: units(source) };
  }
  requireMeshArrays(source, 'source');
  const hasObjects = 'groups' in source && source.groups.some(({ kind }) => kind === 'object');
  if (whole || !hasObjects) return { elements: [{ name: null, surface: source, source: null }], units: null };
  const split = splitByGroups(source).map(({ name, mesh, source: numbers }) => ({
    name,
    surface: mesh,
    source: numbers,
  }));
  return { elements: split, units: null };
}

function scaleSuspects(elements: readonly Element[], units: string | null): (i: number) => string | null {
  // Nothing to compare with.
  if (units === null && elements.length < FEWEST_SIBLINGS) return () => null;
  const diagonals = elements.map(({ surface }) => diagonalOf(surface));
  const sorted = diagonals.filter((length) => length > 0).sort((a, b) => a - b);
  const median = sorted.length < FEWEST_SIBLINGS ? null : sorted[sorted.length >> 1];
  const metres = units === null ? null : toMetres(units);
  return (i) => {
    const size = diagonals[i];
    if (!(size > 0)) return null;
    const times = median === null ? 1 : size / median;
    const shown = (x: number): string => String(Number(x.toPrecision(3)));
    if (times > SIBLINGS) return `${shown(times)} times as large as the median object: is it in another unit?`;
    if (1 / times > SIBLINGS) return `${shown(1 / times)} times smaller than the median object: is it in another unit?`;
    const length = metres?.(size) ?? 1;
    if (length > MOST_METRES || length < LEAST_METRES)
      return `${shown(size)} ${units} from corner to corner: is that its unit?`;
    return null;
  };
}

function toMetres(units: string): ((length: number) => number) | null {
  try {
    return converterOf(units, 'm');
  } catch (error) {
    if (error instanceof OptionError) return null;
    throw error;
  }
}
