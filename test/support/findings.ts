/** Reports that no geometry stands behind, for tests of their writers. */
import fc from 'fast-check';
import type { Report, ReportFinding, ReportSummary, ReportWriter, WriterOptions } from '../../src/report/finding.ts';

export const summary: ReportSummary = {
  tool: { name: 'gicollide', version: '1.2.3' },
  command: 'scene',
  units: 'mm',
  asked: '572 objects, 163,306 pairs',
  counts: { error: 2, warning: 1, note: 3 },
  states: null,
  incomplete: [],
  failures: [],
  warnings: [],
  epoch: 1_000_000_000,
};

export function findingOf(changes: Partial<ReportFinding> = {}): ReportFinding {
  return {
    id: '00c0ffee00c0ffee',
    rule: 'mep',
    class: 'overlap',
    level: 'error',
    state: null,
    note: null,
    accepted: false,
    subjects: [subjectOf('pipe-3', 12), subjectOf('wall-2', 70)],
    message: 'overlap, 20 thick',
    point: [1000, 2000, 3000],
    box: { low: [900, 1900, 2900], high: [1100, 2100, 3100] },
    size: { kind: 'thickness', lower: 19.9, upper: 20.1 },
    again: 'gicollide check --finding findings.ndjson#00c0ffee00c0ffee',
    ...changes,
  };
}

export const subjectOf = (name: string, line: number | null = null, guid: string | null = null) => ({
  ...{ name, line, guid },
  file: 'plan/house.obj',
  sha256: 'ab'.repeat(32),
});

/** One of each: what writers tell apart. */
export const oneOfEach: ReportFinding[] = [
  findingOf(),
  findingOf({ id: 'a1', level: 'warning', class: 'touch', message: 'touch' }),
  findingOf({ id: 'a2', level: 'note', class: 'near', size: { kind: 'distance', lower: 1, upper: 2 } }),
  findingOf({ id: 'a3', rule: 'pipes', class: 'undecided', size: null, point: null }),
  findingOf({ id: 'a4', level: 'note', state: 'known' }),
  findingOf({ id: 'a5', level: 'note', state: 'known', accepted: true, note: 'cast in, see drawing 7' }),
  findingOf({ id: 'a6', rule: 'pipes', state: 'worse' }),
  findingOf({ id: 'a7', level: 'note', state: 'gone', point: null, box: null }),
  findingOf({ id: 'a8', level: 'note', state: 'unchecked' }),
  findingOf({ id: 'a9', state: 'new', subjects: [subjectOf('part')], class: 'open-edge', rule: 'open-edge' }),
];

export const reportOf = (findings: readonly ReportFinding[], changes: Partial<ReportSummary> = {}): Report => ({
  summary: { ...summary, ...changes },
  findings: () => findings,
});

/** Many, with three levels and seven rules, made when they are asked for. */
export function* manyFindings(count: number): Generator<ReportFinding> {
  for (let k = 0; k < count; k++) {
    const at = [k, 2 * k, 3 * k];
    yield findingOf({
      ...{ id: `id-${k}`, rule: `rule-${k % 7}`, level: (['note', 'warning', 'error'] as const)[k % 3] },
      ...{ point: at, box: { low: at, high: at.map((x) => x + 1) } },
      subjects: [subjectOf(`pipe-${k}`), subjectOf(`wall-${k % 100}`)],
    });
  }
}

export async function bytesOf(writer: ReportWriter, report: Report, options: WriterOptions = {}): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of writer(report, options)) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

export const written = async (writer: ReportWriter, report: Report, options?: WriterOptions): Promise<string> =>
  (await bytesOf(writer, report, options)).toString('utf8');

const MEAN = ['<b>&amp;"\'', ']]>', '<!--', '</script>', 'a|b`c`', '=cmd|1', '@team #12', '%0A::error::x', '[a](b){0}'];
const ODD = [
  '\0',
  '\ud800',
  '\udc00',
  '\uffff',
  '\r\n',
  '\n',
  '\t',
  '\u2028',
  '\u202e',
  '👩‍🚒',
  '\u001b[2J',
  ',',
  ';',
  ' ',
];

/** Text of the kind that breaks writers. */
export const text: fc.Arbitrary<string> = fc
  .array(fc.oneof(fc.constantFrom(...MEAN, ...ODD), fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 6 })
  .map((parts) => parts.join(''));

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
const vector = fc.tuple(...[0, 1, 2].map(() => fc.double({ noNaN: true })));

/** Findings that say anything, anywhere. */
export const finding: fc.Arbitrary<ReportFinding> = fc.record({
  ...{ id: text, rule: text, class: text, message: text, note: maybe(text), again: maybe(text) },
  level: fc.constantFrom('error', 'warning', 'note'),
  state: maybe(fc.constantFrom('new', 'known', 'worse', 'gone', 'unchecked')),
  accepted: fc.boolean(),
  subjects: fc.array(
    fc.record({ name: text, file: maybe(text), line: maybe(fc.nat()), sha256: maybe(text), guid: maybe(text) }),
    { maxLength: 2 },
  ),
  point: maybe(vector),
  box: maybe(fc.record({ low: vector, high: vector })),
  size: maybe(
    fc.record({ kind: fc.constantFrom('thickness', 'distance'), lower: fc.double(), upper: fc.double() } as const),
  ),
});

export const report: fc.Arbitrary<Report> = fc
  .record({
    findings: fc.array(finding, { maxLength: 5 }),
    incomplete: fc.array(text, { maxLength: 2 }),
    failures: fc.array(fc.record({ subject: text, message: text }), { maxLength: 2 }),
    asked: text,
  })
  .map(({ findings, ...changes }) => reportOf(findings, changes));

/**
 * Text for every report, with escapes for forbidden characters. Written character by character,
 * beside the pattern in src.
 */
export function asWritten(value: string): string {
  return [...value]
    .map((character) => {
      const code = character.codePointAt(0)!;
      const isControl = (code < 0x20 && ![9, 10, 13].includes(code)) || (code >= 0x7f && code < 0xa0);
      const isForbidden = isControl || (code >= 0xd800 && code < 0xe000) || code === 0xfffe || code === 0xffff;
      return isForbidden ? `\\u${code.toString(16).padStart(4, '0')}` : character;
    })
    .join('');
}
