// The page docs/reference/cli.md: what `--help-all` says of every command, made from commander's
// own description of the program, so dist must be compiled.
import { EXIT } from '../../dist/cli/exit-codes.js';
import { createProgram } from '../../dist/cli/program.js';

/** @typedef {import('commander').Command} Command */
/** @typedef {import('commander').Option} Option */

const HEAD = `# The command line, option by option

\`npm run reference\` makes this page of the program itself. [The command line, by task](../usage.md)
tells what to use when. Commands and options that mean the same have the same name everywhere.`;

/** Arguments of who asks for help, as Node has them. */
const HELP = [process.execPath, 'gicollide', '--help-all'];

/** @type {Record<keyof typeof EXIT, string>} */
const CODES = {
  expected: 'the expected verdict, or the work is done',
  other: 'the other verdict, or findings that fail; with `build --check`, something is stale',
  failed: 'bad usage, bad input, or a fault: one line on stderr says which',
  undecided: '`undecided`, or a list that was cut',
};

/** @param {string} text of a terminal, as Markdown shows it in a sentence or a cell */
const plain = (text) =>
  text
    .replaceAll(/[\\*_[\]|<>]/g, '\\$&')
    .replaceAll(/(?<![\w`-])--?[a-z][\w-]*/g, '`$&`')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** @param {string} text */
const sentence = (text) => `${text[0].toUpperCase()}${plain(text.slice(1))}${/[.?]$/.test(text) ? '' : '.'}`;

/** @param {Option} option */
function meaningOf({ description, argChoices, defaultValue, defaultValueDescription }) {
  const ends = [];
  if (argChoices) ends.push(`one of ${argChoices.map((choice) => `\`${choice}\``).join(', ')}`);
  const byDefault = defaultValueDescription ?? (defaultValue === undefined ? undefined : String(defaultValue));
  if (byDefault !== undefined) ends.push(`default: \`${byDefault}\``);
  return [plain(description), ...ends].join('; ');
}

/** @param {readonly Option[]} options */
const tableOf = (options) =>
  ['| option | |', '|---|---|', ...options.map((option) => `| \`${option.flags}\` | ${meaningOf(option)} |`)].join(
    '\n',
  );

/**
 * Options under their headings, in the order of `--help`.
 *
 * @param {Command} command
 */
function optionsOf(command) {
  const help = command.createHelp();
  const options = help.visibleOptions(command).filter(({ long }) => long !== '--help');
  const groups = help.groupItems(options, options, ({ helpGroupHeading }) => helpGroupHeading ?? 'Options:');
  return [...groups].map(([heading, inGroup]) => `**${heading.replace(/:$/, '')}**\n\n${tableOf(inGroup)}`);
}

/**
 * Sentences as points of a list: one ends where a line ends with it.
 *
 * @param {string} text
 */
const pointsOf = (text) =>
  text
    .split(/(?<=\.)\n/)
    .map((point) => `- ${plain(point)}`)
    .join('\n');

/**
 * What `--help` says behind the options: sentences, then lines as they stand in a terminal.
 *
 * @param {Command} command
 */
function afterwordOf(command) {
  let text = '';
  const told = /** @type {any} */ (command); // its events are not in its types
  told.emit('afterHelp', { error: false, command, write: (/** @type {string} */ part) => (text += part) });
  return text
    .trim()
    .split(/\n\s*\n/)
    .filter((part) => part.trim() !== '')
    .map((part) => {
      if (!/^ *\$ /.test(part)) return pointsOf(part);
      return `\`\`\`text\n${part.replaceAll(/^ {2}/gm, '').trimEnd()}\n\`\`\``;
    });
}

/**
 * @param {Command} command
 * @param {string} parents the words before its name
 * @param {string} level of its heading
 * @returns {string[]}
 */
function sectionsOf(command, parents, level) {
  const help = command.createHelp();
  const name = `${parents} ${command.name()}`.trim();
  const usage = `gicollide ${name} ${command.usage()}`;
  const operands = help
    .visibleArguments(command)
    .map((operand) => `| \`${operand.name()}\` | ${plain(operand.description)} |`);
  const below = help.visibleCommands(command).filter((child) => child.name() !== 'help');
  return [
    `${level} ${name}`,
    sentence(command.description()),
    `\`\`\`text\n${usage.trim()}\n\`\`\``,
    ...(operands.length > 0 ? [['| argument | |', '|---|---|', ...operands].join('\n')] : []),
    ...optionsOf(command),
    ...afterwordOf(command),
    ...below.flatMap((child) => sectionsOf(child, name, `${level}#`)),
  ];
}

/** @param {Command} command `cd check` is `check`. */
const isTold = (command) => command.name() !== 'cd';

/** The page. */
export async function cliReference() {
  const names = (await createProgram(HELP)).commands.map((command) => command.name());
  const program = await createProgram([...HELP, ...names]);
  const help = program.createHelp();
  const commands = help.visibleCommands(program).filter((command) => command.name() !== 'help');
  const groups = help.groupItems(commands, commands, (command) => command.helpGroup());
  const list = [...groups].map(([heading, inGroup]) =>
    [
      `**${heading.replace(/:$/, '')}**\n`,
      ...inGroup
        .filter(isTold)
        .map((command) => `- [\`${command.name()}\`](#${command.name()}): ${plain(command.description())}`),
    ].join('\n'),
  );
  const codes = Object.entries(EXIT).map(
    ([name, code]) => `| ${code} | ${CODES[/** @type {keyof typeof EXIT} */ (name)]} |`,
  );
  const sections = commands.filter(isTold).flatMap((command) => sectionsOf(command, '', '##'));
  return `${[
    HEAD,
    ...list,
    '## Exit codes',
    ['| code | |', '|---|---|', ...codes].join('\n'),
    '## Options of every command',
    tableOf(help.visibleOptions(program)),
    ...sections,
  ].join('\n\n')}\n`;
}
