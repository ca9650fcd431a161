/** `gicollide view`: shows a pair or a scene in a browser, from a server or as a file. */
import { type Command, InvalidArgumentError } from 'commander';
import { InputError, OptionError } from '../../base/errors.ts';
import { counted, grouped, printable } from '../../base/printable.ts';
import { knownView } from '../../viewer/known-view.ts';
import { FIRST_VIEW, writeView } from '../../viewer/view-state.ts';
import { notes, parseWhole } from '../arguments.ts';
import { requireEnding, requireWritable, writeWhole } from '../atomic-write.ts';
import { EXIT } from '../exit-codes.ts';
import { identityOf, STDIN } from '../inputs/name.ts';
import { about, type Session } from '../session.ts';
import { print } from '../terminal.ts';
import { type LoadedView, loadView } from '../view/load-view.ts';
import { openPageBaseline } from '../view/page-baseline.ts';
import { MOST_BYTES, pageWith, readPage, serveView } from '../view/server.ts';
import { addViewOptions, refuseUnknown, type ViewFlags } from '../view/view-flags.ts';

interface PageFlags extends ViewFlags {
  html?: string;
  port?: number;
  open?: boolean;
  coop?: boolean;
}

export function defineView(command: Command, session: (command: Command) => Session): void {
  addViewOptions(command)
    .option('--html <file>', 'write the page as one file that needs no server and no network; at most 200 MB of data')
    .option('--port <n>', 'port of the server [default: a free one]', parsePort)
    .option(
      '--open',
      'open the page in a browser; other users of this machine may see the address in the list of programs',
    )
    .option('--coop', 'isolate the page from others (COOP, COEP), so its threads may share memory')
    .addHelpText(
      'after',
      notes(
        `One or two assets, meshes or models are shown as by check. Anything else is shown as by scene: scene files, meshes with several
elements, folders, robots; or the --json output of scene and check.
The server is for browsers on this machine. The printed address contains a token. Ctrl-C ends the server.
With --baseline, findings that you accept or note on the page are written to the file (docs/baseline.md).
For a picture without a browser, use gicollide picture. For a list, or in CI, use gicollide scene.
Exit code 0: shown; 2: nothing to show, an incomplete element, or not written.`,
        `  $ gicollide view assets/bunny.obj assets/blob.obj --translate-b 0.4,0,0 --html bunny.html
  wrote bunny.html: 2 objects, 1 finding, 496,296 bytes of assets; open it in a browser`,
      ),
    )
    .action(async (files: string[], flags: PageFlags, command: Command) => {
      process.exitCode = await runView(files, flags, session(command));
    });
}

function parsePort(text: string): number {
  const port = parseWhole(1)(text);
  if (port > 65_535) throw new InvalidArgumentError('Expected at most 65535.');
  return port;
}

async function runView(args: string[], flags: PageFlags, session: Session): Promise<number> {
  const { html } = flags;
  const page = readPage();
  if (html === undefined) return serve(page, args, flags, session);
  const other = (['port', 'open', 'coop'] as const).find((key) => flags[key] !== undefined);
  if (other) throw new OptionError(`--${other} is for the server, but --html writes a file: leave out one of the two`);
  return writePage(page, html, args, flags, session);
}

async function writePage(
  page: string,
  file: string,
  args: readonly string[],
  flags: PageFlags,
  session: Session,
): Promise<number> {
  const { with: beside = [], against = [], baseline, srdf, states } = flags;
  const inputs = [...args, ...beside, ...against, baseline, srdf, states].filter((input) => input !== undefined);
  requireNoInput(file, inputs);
  requireEnding(file, ['.html', '.htm'], 'HTML');
  requireWritable(file);
  const view = await loadView(args, flags, session, { mostBytes: MOST_BYTES });
  const { document, files } = view;
  const state = stateOf(view, flags);
  requireNoInput(
    file,
    document.objects.flatMap((object) => object.file ?? []),
  );
  await about(file, () => writeWhole(file, pageWith(page, document, files)));
  const place = state === '' ? 'it' : printable(`${file}#${state}`);
  if (!session.global.quiet) await print(`wrote ${printable(file)}: ${factsOf(view)}; open ${place} in a browser\n`);
  return codeOf(view);
}

const codeOf = ({ unchecked }: LoadedView): number => (unchecked > 0 ? EXIT.failed : EXIT.expected);

function requireNoInput(file: string, inputs: readonly string[]): void {
  const own = identityOf(file);
  if (inputs.some((input) => input !== STDIN && identityOf(input) === own))
    throw new InputError(`${file}: would overwrite an input`);
}

/** The state of the page, for its address; empty without --finding. */
const stateOf = ({ document }: LoadedView, { finding }: ViewFlags): string =>
  finding === undefined ? '' : writeView(knownView(document, { ...FIRST_VIEW, finding }, refuseUnknown));

function factsOf({ document, files }: LoadedView): string {
  const bytes = files.reduce((sum, { length }) => sum + length, 0);
  const { objects, findings } = document;
  return `${counted(objects.length, 'object')}, ${counted(findings.length, 'finding')}, ${grouped(bytes)} bytes of assets`;
}

async function serve(page: string, args: readonly string[], flags: PageFlags, session: Session): Promise<number> {
  const { baseline, worse, port, coop = false } = flags;
  const saves = baseline !== undefined && isWritable(baseline, session);
  const view = await loadView(args, flags, session, { savesBaseline: saves });
  const { findings } = view.document;
  const state = stateOf(view, flags);
  const known = saves ? openPageBaseline(baseline, { worse, refine: view.refine }, findings) : undefined;
  const ended = interrupted();
  const served = await serveView(page, view, {
    ...(port !== undefined && { port }),
    isIsolated: coop,
    baseline: known,
  });
  const address = state === '' ? served.address : `${served.address}&${state}`;
  const how = flags.open ? 'its page opens' : 'open this address';
  const hint = session.global.quiet ? '' : `${counted(findings.length, 'finding')}: ${how}; Ctrl-C ends it\n`;
  await print(`${address}\n${hint}`);
  if (flags.open) {
    const { openBrowser } = await import('../view/server.ts');
    openBrowser(address, (problem) => session.log.warn(`--open: ${problem}; the address opens it`));
  }
  await ended;
  await served.close();
  await known?.end();
  return codeOf(view);
}

function isWritable(file: string, { log }: Session): boolean {
  try {
    requireWritable(file);
    return true;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    log.warn(`--baseline: nothing is saved: ${error.message}`);
    return false;
  }
}

const interrupted = (): Promise<void> =>
  new Promise((done) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => done());
  });
