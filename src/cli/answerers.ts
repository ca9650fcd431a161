/** Loads what a check hands to the engine, on any thread. */
import type { CheckOptions } from '../pair/options.ts';

/** Most checks need neither. Functions can't go to other threads, so each thread loads them. */
export async function answerersOf({
  solid = 'off',
  contactPoints,
  patches,
}: CheckOptions): Promise<Pick<CheckOptions, 'solids' | 'contacts'>> {
  return {
    ...(solid !== 'off' && { solids: (await import('../solid/class-of.ts')).solids }),
    ...((contactPoints || patches) && { contacts: (await import('../query/contact-patches.ts')).contacts }),
  };
}
