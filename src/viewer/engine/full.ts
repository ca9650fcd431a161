/** What is told of two when they rest: all that `gicollide check` says of them, in its words. */
import { InputError } from '../../math/errors.ts';
import { type CheckOptions, DEFAULT_MAX_CONTACTS } from '../../pair/options.ts';
import { createPair } from '../../pair/pair.ts';
import { textOfReport } from '../../pair/report-text.ts';
import type { Report } from '../../query/report.ts';
import type { Asset } from '../../query/representation.ts';
import { isOfTriangles } from '../../representations/operand.ts';
import type { Asked } from '../document.ts';
import type { FullAnswer } from '../protocol.ts';

/** What `check` is asked of two, and the words that ask its command line the same. */
export interface FullQuestion {
  options: CheckOptions;
  words: string[];
}

/**
 * Everything that these two can be asked: patches are of surfaces of triangles that share points.
 */
export function everythingOf(a: Asset, b: Asset, { clearance = 0, solid = 'auto', ...asked }: Asked): FullQuestion {
  const isListed = isOfTriangles(a) && isOfTriangles(b);
  const patches = isListed && clearance === 0;
  const { tolerance, touchGap } = solid === 'off' ? {} : asked;
  const options: CheckOptions = {
    ...(clearance > 0 && { clearance }),
    ...{ solid, distance: true },
    ...(tolerance !== undefined && { tolerance }),
    ...(touchGap !== undefined && { touchGap }),
    ...(isListed && { all: true, maxContacts: DEFAULT_MAX_CONTACTS }),
    ...(patches && { patches }),
  };
  const words = [
    ...(clearance > 0 ? ['--clearance', `${clearance}`] : []),
    ...['--solid', solid],
    ...(tolerance === undefined ? [] : ['--tolerance', `${tolerance}`]),
    ...(touchGap === undefined ? [] : ['--touch-gap', `${touchGap}`]),
    '--distance',
    ...(patches ? ['--patches'] : isListed ? ['--all'] : []),
  ];
  return { options, words };
}

/**
 * The report of two, as a command that asks nothing else would make it: the same engines answer, so
 * that the same contact is met first and as much is counted.
 */
export function fullAnswer(a: Asset, b: Asset, asked: CheckOptions, command: string): FullAnswer {
  try {
    const { contacts, ...report } = createPair(a, b, { questions: 1 }).report(asked);
    const text = textOfReport({ ...report, contacts }, asked.all ?? false, asked.maxContacts ?? DEFAULT_MAX_CONTACTS);
    return { report, contacts, text, command, problem: null };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const contacts = { count: 0, complete: false, pairs: [] };
    return { report: unanswered(a, b), contacts, text: '', command, problem: error.message };
  }
}

/** Where nothing can be said. */
const unanswered = (a: Asset, b: Asset): Omit<Report, 'contacts'> => ({
  verdict: 'undecided',
  a: { file: null, representation: a.representation },
  b: { file: null, representation: b.representation },
  ...{ path: 'native', engine: 'search', tolerance: null, distance: null, witness: null, bracket: null, level: 0 },
  ...{ tests: { bounds: 0, hulls: 0 }, ms: { load: 0, query: 0 } },
});
