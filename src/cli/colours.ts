/** Colours of results on a terminal: a line looks to a person as it ends for a script. */
import { styleText } from 'node:util';
import { EXIT } from './exit-codes.ts';

export type Colour = 'green' | 'red' | 'yellow';

const COLOURS: Record<number, Colour> = {
  ...{ [EXIT.expected]: 'green', [EXIT.other]: 'red', [EXIT.undecided]: 'yellow', [EXIT.failed]: 'red' },
};

/** The text in a colour, where stdout is a terminal; NO_COLOR is honoured. */
export function coloured(colour: Colour, text: string): string {
  const shows = process.stdout.isTTY === true && !process.env.NO_COLOR;
  return shows ? styleText(colour, text, { validateStream: false }) : text;
}

/** Likewise, in the colour of an exit code. */
export const colouredBy = (code: number, text: string): string => coloured(COLOURS[code], text);

/** A line whose first word has the colour. */
export const begunBy = (colour: Colour, line: string): string => line.replace(/^\S+/, (word) => coloured(colour, word));

/** A line whose first word has the colour of an exit code. */
export const begunByCode = (code: number, line: string): string => begunBy(COLOURS[code], line);
