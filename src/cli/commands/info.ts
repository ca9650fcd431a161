/** `gicollide info`: what an asset holds. */
import type { Command } from 'commander';
import type { Description } from '../../query/representation.ts';
import { representationOf } from '../../representations/registry.ts';
import { EXIT } from '../exit-codes.ts';
import { print } from '../files.ts';
import { loadAsset, type Session } from '../session.ts';

export function addInfo(program: Command, session: (command: Command) => Session): void {
  program
    .command('info')
    .description('what an asset holds: sizes, bytes, levels, source')
    .argument('<file>', 'an asset that build wrote')
    .option('--json', 'as one JSON object')
    .action(async (file: string, flags: { json?: boolean }, command: Command) => {
      const { asset, bytes } = await loadAsset(file, session(command));
      const description = await representationOf(asset).describe(asset, bytes);
      await print(flags.json ? `${JSON.stringify({ file, ...description })}\n` : `${file}\n${table(description)}`);
      process.exitCode = EXIT.expected;
    });
}

/** A line a property; a list of records a line each, below it. */
function table(description: Description): string {
  const rows = Object.entries(description);
  const width = Math.max(...rows.map(([key]) => words(key).length));
  return rows
    .map(([key, value]) => {
      const label = `  ${words(key).padEnd(width)}  `;
      if (isRecords(value)) return `${label}${value.map(inline).join(`\n${' '.repeat(width + 4)}`)}\n`;
      return `${label}${typeof value === 'object' && value !== null ? inline(value as Description) : show(value)}\n`;
    })
    .join('');
}

const isRecords = (value: unknown): value is Description[] =>
  Array.isArray(value) && value.length > 0 && value.every((x) => typeof x === 'object' && x !== null);

const words = (key: string): string => key.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function inline(record: Description): string {
  if (Array.isArray(record)) return record.map(show).join(' ');
  return Object.entries(record)
    .map(([key, value]) => `${words(key)} ${show(value)}`)
    .join(', ');
}

function show(value: unknown): string {
  if (value === null || value === undefined) return 'not recorded';
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
