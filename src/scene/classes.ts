/** The classes of findings, and the facts of IFC that choose objects. */
import type { SolidClass } from '../engine/records.ts';

/**
 * The class of two solids; see SolidClass. Some objects are only surfaces: those that bound no
 * solid, moving objects, and all if solids are off. Their classes are `contact` if the surfaces
 * share a point, `near` if they only come within the clearance, and `undecided` if neither is
 * proved.
 */
export type FindingClass = Exclude<SolidClass, 'clear'>;

/** The relation of two surfaces, even if they bound solids. */
export type SurfaceClass = 'contact' | 'near' | 'undecided';

/** Classes that may fail; `undecided` has an exit code of its own. */
export const FAIL_CLASSES = [
  ...(['overlap', 'inside', 'same', 'contact', 'touch', 'near'] as const),
] satisfies FindingClass[];

export const FINDING_CLASSES = [...FAIL_CLASSES, 'undecided' as const] satisfies FindingClass[];

/** The facts by which an element of IFC is chosen. */
export const IFC_KEYS = ['class', 'type', 'storey', 'material'] as const;
