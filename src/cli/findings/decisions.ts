/** `--accept` and `--note`: decisions about findings, named by the first digits of their ids. */
import { OptionError } from '../../base/errors.ts';
import { ambiguousText, FEWEST_DIGITS, idsMeant, printable } from '../../base/printable.ts';
import type { Said } from '../../report/baseline.ts';

/** Names of the subjects of findings, by id. */
export type Names = ReadonlyMap<string, readonly string[]>;

export const wordsFor = (names: Names, id: string): string => names.get(id)!.map(printable).join(', ');

/** The scenes of a project share one, since each finds only some of the findings. */
export class Decisions {
  /** For each text the ids that it meant so far, with the names of their subjects. */
  private readonly meant = new Map<string, Map<string, string>>();
  /** For each text the option that it belongs to. */
  private readonly options: ReadonlyMap<string, string>;

  constructor(
    private readonly accept: readonly string[] = [],
    private readonly note: ReadonlyMap<string, string> = new Map(),
  ) {
    const options = [...note.keys()].map((text) => [text, '--note'] as const);
    this.options = new Map([...options, ...accept.map((text) => [text, '--accept'] as const)]);
  }

  /** The decision about a finding; null without one. */
  of(id: string): Said | null {
    const isMeant = (text: string): boolean => idsMeant(text, [id]).length > 0;
    const notes = [...this.note].filter(([text]) => isMeant(text));
    const accepted = this.accept.some(isMeant);
    return accepted || notes.length > 0 ? { accepted, note: notes.at(-1)?.[1] ?? null } : null;
  }

  /**
   * Returns the decisions about the findings of one run or its baseline.
   *
   * @throws OptionError if a text means several findings
   */
  among(names: Names): { accept: string[]; notes: Map<string, string> } {
    const idsOf = (text: string): string[] => {
      const ids = idsMeant(text, names.keys());
      const all = this.meant.get(text) ?? new Map<string, string>();
      for (const id of ids) all.set(id, wordsFor(names, id));
      this.meant.set(text, all);
      if (all.size < 2) return ids;
      throw new OptionError(
        `${this.options.get(text)} ${ambiguousText(printable(text), [...all.keys()], (id) => all.get(id)!)}`,
      );
    };
    return {
      accept: this.accept.flatMap(idsOf),
      notes: new Map([...this.note].flatMap(([text, note]) => idsOf(text).map((id) => [id, note] as const))),
    };
  }

  /** @throws OptionError for texts that meant no finding */
  requireFound(): void {
    const lost = [...this.options].filter(([text]) => !this.meant.get(text)?.size);
    if (lost.length === 0) return;
    const texts = lost.map(([text, option]) => `${option} ${printable(text)}`).join(', ');
    const short = lost.find(([text]) => text.length < FEWEST_DIGITS);
    const hint = short ? `; an id needs its first ${FEWEST_DIGITS} digits` : '';
    const these = lost.length === 1 ? 'this id' : 'these ids';
    throw new OptionError(`${texts}: no finding of this run or of its baseline has ${these}${hint}`);
  }
}
