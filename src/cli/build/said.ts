/** Buffers log lines of other threads and machines, and logs them after the records before them. */
import type { Log } from '../terminal.ts';

export interface SaidRecord {
  status: 'said';
  level: 'info' | 'warn' | 'error';
  message: string;
}

export function saying(take: (record: SaidRecord) => void): Log {
  const say =
    (level: SaidRecord['level']) =>
    (message: string): void => {
      take({ status: 'said', level, message });
    };
  return { info: say('info'), warn: say('warn'), error: say('error') } as Log;
}

/** Logs the buffered lines. @returns the other records */
export function tellSaid<Row extends { status: string }>(rows: readonly (Row | SaidRecord)[], log: Log): Row[] {
  const others: Row[] = [];
  for (const row of rows) {
    if (isSaid(row)) log[row.level](row.message);
    else others.push(row);
  }
  return others;
}

const isSaid = (row: { status: string }): row is SaidRecord => row.status === 'said';
