/** What is logged where nobody reads: kept, and told when the records before it are. */
import type { Log } from '../terminal.ts';

/** A line of the log. */
export interface SaidRecord {
  status: 'said';
  level: 'info' | 'warn' | 'error';
  message: string;
}

/** A log whose lines become records. */
export function saying(take: (record: SaidRecord) => void): Log {
  const say =
    (level: SaidRecord['level']) =>
    (message: string): void => {
      take({ status: 'said', level, message });
    };
  return { info: say('info'), warn: say('warn'), error: say('error') } as Log;
}

/** Tells the log what was said. @returns the other records */
export function tellSaid<Row extends { status: string }>(rows: readonly (Row | SaidRecord)[], log: Log): Row[] {
  const others: Row[] = [];
  for (const row of rows) {
    if (isSaid(row)) log[row.level](row.message);
    else others.push(row);
  }
  return others;
}

const isSaid = (row: { status: string }): row is SaidRecord => row.status === 'said';
