/** Answers in full about two objects at rest, in the words of `gicollide check`. */
import { InputError } from '../../base/errors.ts';
import { contacts as finder } from '../../contacts/patches.ts';
import { isOfTriangles } from '../../engine/operand.ts';
import { type CheckOptions, DEFAULT_MAX_CONTACTS } from '../../engine/options.ts';
import { createPair } from '../../engine/prepared.ts';
import type { Report } from '../../engine/records.ts';
import { textOfReport } from '../../engine/report.ts';
import type { Asset } from '../../engine/representation.ts';
import { solids } from '../../solid/class-of.ts';
import type { Asked } from '../document.ts';
import type { FullAnswer } from '../protocol.ts';

export interface FullQuestion {
  options: CheckOptions;
  words: string[];
}

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

/** Returns the report of the equivalent command: the same engines, first contact and counts. */
export function fullAnswer(a: Asset, b: Asset, asked: CheckOptions, command: string): FullAnswer {
  try {
    const { contacts, ...report } = createPair(a, b, { questions: 1 }).report({ ...asked, solids, contacts: finder });
    const text = textOfReport({ ...report, contacts }, asked.all ?? false, asked.maxContacts ?? DEFAULT_MAX_CONTACTS);
    return { report, contacts, text, command, problem: null };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const contacts = { count: 0, complete: false, pairs: [] };
    return { report: unanswered(a, b), contacts, text: '', command, problem: error.message };
  }
}

const unanswered = (a: Asset, b: Asset): Omit<Report, 'contacts'> => ({
  verdict: 'undecided',
  a: { file: null, representation: a.representation },
  b: { file: null, representation: b.representation },
  ...{ path: 'native', engine: 'search', tolerance: null, distance: null, witness: null, bracket: null, level: 0 },
  ...{ tests: { bounds: 0, hulls: 0 }, ms: { load: 0, query: 0 } },
});
