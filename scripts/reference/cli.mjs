// The page docs/reference/cli.md: the text of `--help-all` of every command, from commander's
// description of the program. It reads dist, so dist must be compiled.
import { EXIT } from '../../dist/cli/exit-codes.js';
import { createProgram } from '../../dist/cli/program.js';

/** @typedef {import('commander').Command} Command */
/** @typedef {import('commander').Option} Option */

const HEAD = `# The command line, option by option

All commands and options, as \`--help-all\` prints them. [The command line, by task](../usage.md)
tells you which to use. An option has the same meaning in every command. \`npm run reference\` makes
this page from the program.`;

/** Arguments of a process that prints the whole help. */
const HELP = [process.execPath, 'gicollide', '--help-all'];

/** @type {Record<keyof typeof EXIT, string>} */
const CODES = {
  expected: 'success: the expected verdict, or no failing finding; everything was checked',
  other: 'the other verdict, failing findings, or stale outputs with `build --check`',
  failed: 'wrong usage, bad or incomplete input, or an internal fault, with one line on stderr',
  undecided: '`undecided`, or a search that ended early',
};

/** Escapes the text of a terminal for a sentence or a cell in Markdown. @param {string} text */
const plain = (text) =>
  text
    .replaceAll(/[\\*_[\]|<>]/g, '\\$&')
    .replaceAll(/(?<![\w`-])--?[a-z][\w-]*/g, '`$&`')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** @param {string} text */
const sentence = (text) => `${text[0].toUpperCase()}${plain(text.slice(1))}${/[.?]$/.test(text) ? '' : '.'}`;

/** Splits a description from the default in brackets at its end. @param {string} description */
function defaultOf(description) {
  const [, ...parts] = /^([\s\S]*?)(?: \[default: ([^\]]*)\])?$/.exec(description) ?? [];
  return parts.filter((part) => part !== undefined).map(plain);
}

/** @param {Option} option */
function meaningOf({ description, argChoices, defaultValue, defaultValueDescription }) {
  const [meaning, textDefault] = defaultOf(description);
  const ends = [];
  if (argChoices) ends.push(`one of ${argChoices.map((choice) => `\`${choice}\``).join(', ')}`);
  const byDefault = defaultValueDescription ?? (defaultValue === undefined ? undefined : String(defaultValue));
  if (byDefault !== undefined) ends.push(`default: \`${byDefault}\``);
  else if (textDefault) ends.push(`default: ${textDefault}`);
  return [meaning, ...ends].join('; ');
}

/** @param {readonly Option[]} options */
const tableOf = (options) =>
  [
    '| option | meaning |',
    '|---|---|',
    ...options.map((option) => `| \`${option.flags}\` | ${meaningOf(option)} |`),
  ].join('\n');

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
 * Sentences as points of a list. A point ends with a full stop at the end of a line.
 *
 * @param {string} text
 */
const pointsOf = (text) =>
  text
    .split(/(?<=\.)\n/)
    .map((point) => `- ${plain(point)}`)
    .join('\n');

/**
 * The text of `--help` after the options: sentences, then lines of a terminal.
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
    .map((operand) => `| \`${operand.name()}\` | ${defaultOf(operand.description).join('; default: ')} |`);
  const below = help.visibleCommands(command).filter((child) => child.name() !== 'help');
  return [
    `${level} ${name}`,
    sentence(command.description()),
    `\`\`\`text\n${usage.trim()}\n\`\`\``,
    ...(operands.length > 0 ? [['| argument | meaning |', '|---|---|', ...operands].join('\n')] : []),
    ...optionsOf(command),
    ...afterwordOf(command),
    ...below.flatMap((child) => sectionsOf(child, name, `${level}#`)),
  ];
}

/** False for `cd`: `cd check` is `check`. @param {Command} command */
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
    ['| code | meaning |', '|---|---|', ...codes].join('\n'),
    '## Options of every command',
    tableOf(help.visibleOptions(program)),
    ...sections,
  ].join('\n\n')}\n`;
}
