/** `gicollide verify`: proves an asset's bounds, whatever program wrote the file. */
import type { Command } from 'commander';
import { InputError } from '../../base/errors.ts';
import { grouped, printable } from '../../base/printable.ts';
import { representationOf } from '../../representations/kinds.ts';
import { addOutside, notes } from '../arguments.ts';
import { EXIT } from '../exit-codes.ts';
import { requireReports } from '../findings/report-files.ts';
import { addReportOptions, type ReportFlags, reportsWritten } from '../findings/report-flags.ts';
import { loadAsset } from '../inputs/load.ts';
import type { Session } from '../session.ts';
import { print } from '../terminal.ts';

interface VerifyFlags extends ReportFlags {
  json?: boolean;
}

export function defineVerify(command: Command, session: (command: Command) => Session): void {
  addOutside(command).option('--json', 'print one JSON object');
  addReportOptions(command)
    .addHelpText('after', notes(`Exit code 0: proved; 2: refuted, or not an asset.`))
    .action(async (file: string, flags: VerifyFlags, command: Command) => {
      requireReports(flags, [file]);
      const { asset } = await loadAsset(file, session(command));
      const { checked, what, problems } = representationOf(asset).verify(asset);
      const record = { file, verified: problems.length === 0, checked, problems };
      if (flags.json) await print(`${JSON.stringify(record)}\n`);
      if (flags.report) await (await import('../findings/report-files.ts')).reportRecord(record, 'verify', flags);
      if (!flags.json) for (const line of reportsWritten(flags)) await print(`${line}\n`);
      if (problems.length > 0) {
        const others = problems.length > 1 ? ` (and ${problems.length - 1} or more like it)` : '';
        throw new InputError(`${file}: ${problems[0]}${others}`);
      }
      if (!flags.json)
        await print(
          `verified  ${printable(file)}: each of its ${grouped(checked)} ${what} is proved to contain the surface below it\n`,
        );
      process.exitCode = EXIT.expected;
    });
}
