/** The classes of findings. */
import type { SolidClass } from '../query/report.ts';

/**
 * What two are as solids: see SolidClass. Of what bounds no solid, of objects that move, and where
 * nobody asks for solids, `contact`: the surfaces share a point; `near`: they do not, and are no
 * farther apart than the clearance that was asked for. `undecided`: which could not be told.
 */
export type FindingClass = Exclude<SolidClass, 'clear'>;

/** What surfaces are to each other, whatever they bound. */
export type SurfaceClass = 'contact' | 'near' | 'undecided';

/** All classes of findings. */
export const FINDING_CLASSES = [
  ...(['overlap', 'inside', 'same', 'contact', 'touch', 'near', 'undecided'] as const),
] satisfies FindingClass[];

/** Those that may be said to fail; what is undecided has an exit code of its own. */
export const FAIL_CLASSES = FINDING_CLASSES.filter((name) => name !== 'undecided');
