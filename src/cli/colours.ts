/** Colors results on a terminal only, so that scripts read plain lines. */
import { styleText } from 'node:util';
import { EXIT } from './exit-codes.ts';

export type Colour = 'green' | 'red' | 'yellow';

const COLOURS: Record<number, Colour> = {
  ...{ [EXIT.expected]: 'green', [EXIT.other]: 'red', [EXIT.undecided]: 'yellow', [EXIT.failed]: 'red' },
};

/** Colors the text if stdout is a terminal and NO_COLOR is not set. */
export function coloured(colour: Colour, text: string): string {
  const shows = process.stdout.isTTY === true && !process.env.NO_COLOR;
  return shows ? styleText(colour, text, { validateStream: false }) : text;
}

export const colouredBy = (code: number, text: string): string => coloured(COLOURS[code], text);

export const begunBy = (colour: Colour, line: string): string => line.replace(/^\S+/, (word) => coloured(colour, word));

export const begunByCode = (code: number, line: string): string => begunBy(COLOURS[code], line);
