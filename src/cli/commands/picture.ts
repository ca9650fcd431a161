/** `gicollide picture`: draws the viewer's picture as a PNG file, without a browser. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { OptionError } from '../../base/errors.ts';
import { grouped, printable } from '../../base/printable.ts';
import { ViewEngine } from '../../viewer/engine.ts';
import { knownView } from '../../viewer/known-view.ts';
import { begun } from '../../viewer/standing.ts';
import { readView, type ViewState } from '../../viewer/view-state.ts';
import { notes } from '../arguments.ts';
import { writeWhole } from '../atomic-write.ts';
import { EXIT } from '../exit-codes.ts';
import { requirePngName, sharpForPictures, toPng } from '../png-file.ts';
import type { Session } from '../session.ts';
import { print } from '../terminal.ts';
import { drawView, type Size } from '../view/draw-view.ts';
import { loadView } from '../view/load-view.ts';
import { addViewOptions, refuseUnknown, type ViewFlags } from '../view/view-flags.ts';

interface PictureFlags extends ViewFlags {
  out: string;
  view: string;
  size?: Size;
  theme?: 'light' | 'dark';
}

const [LEAST, MOST, MOST_PIXELS] = [160, 8192, 2 ** 25];

export function definePicture(command: Command, session: (command: Command) => Session): void {
  addViewOptions(command)
    .requiredOption('-o, --out <file>', 'PNG file to write')
    .option('--view <state>', 'state of the page: the part of its address after #, or the whole address', '')
    .addOption(
      new Option('--size <width>x<height>', `size in pixels, ${LEAST} to ${MOST} each`)
        .argParser(parseSize)
        .default({ width: 1280, height: 800 }, '1280x800'),
    )
    .addOption(new Option('--theme <name>', 'colors [default: those of --view]').choices(['light', 'dark']))
    .addHelpText(
      'after',
      notes(
        `Draws a pair or a whole scene, or the view of --view: copy the page's address in quotes. The names of the two, the verdict and
the sizes are below it. Only the page draws the pages of geometry images.
The same files and options give the same bytes with the same version of sharp.
Exit code 0: written; 2: not written.`,
        `  $ gicollide picture assets/bunny.obj assets/blob.obj --translate-b 0.4,0,0 --view level=4 -o contact.png`,
      ),
    )
    .action(async (args: string[], flags: PictureFlags, command: Command) => {
      await runPicture(args, flags, session(command));
      process.exitCode = EXIT.expected;
    });
}

function parseSize(text: string): Size {
  const [, width, height] = (/^(\d{1,5})x(\d{1,5})$/.exec(text) ?? []).map(Number);
  if (!(Math.min(width, height) >= LEAST && Math.max(width, height) <= MOST))
    throw new InvalidArgumentError(`Expected a width and a height from ${LEAST} to ${MOST}, as 1280x800.`);
  if (width * height > MOST_PIXELS) throw new InvalidArgumentError(`Expected at most ${MOST_PIXELS} pixels in all.`);
  return { width, height };
}

async function runPicture(args: string[], flags: PictureFlags, session: Session): Promise<void> {
  const { out, size = { width: 1280, height: 800 } } = flags;
  requirePngName(out, '--out', filesOf(args, flags));
  const asked = stateOf(flags);
  await sharpForPictures();
  const { document, files } = await loadView(args, flags, session);
  // A scene references further files.
  requirePngName(
    out,
    '--out',
    document.objects.flatMap(({ file }) => file ?? []),
  );
  const shown = knownView(document, asked, refuseUnknown);
  if (asked.showsPages) session.log.warn('picture: the pages of images are left out; only gicollide view draws them');
  const engine = new ViewEngine();
  const facts = await engine.answer('open', { document, files });
  const drawing = { document, facts, ask: engine.answer.bind(engine) };
  const png = await toPng(await drawView(drawing, begun(document, shown), size));
  await writeWhole(out, png);
  const told = `${size.width} x ${size.height} pixels, ${grouped(png.length)} bytes`;
  if (!session.global.quiet) await print(`wrote ${printable(out)}: ${told}\n`);
}

const filesOf = (
  args: readonly string[],
  { against = [], with: about = [], states, baseline }: PictureFlags,
): string[] => [...args, ...against, ...about, states ?? [], baseline ?? []].flat().filter((file) => file !== '-');

function stateOf({ view, finding, theme }: PictureFlags): ViewState {
  const state = readView(view, (problem) => {
    throw new OptionError(`--view: ${problem}`);
  });
  return {
    ...state,
    ...(theme && { theme }),
    // The finding determines the pair, whatever is shown.
    ...(finding !== undefined && { finding, a: null, b: null }),
  };
}
