/**
 * The page of `gicollide view` in Chromium: what it says on the console, what it asks the network
 * for, what axe-core finds, and its verdict where objects are put.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Browser, Page } from 'playwright-core';

/** Times that a page is looked at before it is said to hang. */
const MOST_LOOKS = 3000;

export interface PageOptions {
  width?: number;
  height?: number;
  theme?: 'light' | 'dark';
  /** A phone: its pointer is a finger. */
  isTouch?: boolean;
  /** A script that runs before the page's own. */
  before?: string;
}

export interface OpenViewer {
  page: Page;
  /** Output of the page's console, and its uncaught errors. */
  messages: string[];
  /** Addresses that were asked for, the page's own among them. */
  requests: string[];
}

/**
 * Opens an address, of a file or of a server, and waits until the page is ready; in a context of its
 * own, which shares nothing with other pages.
 */
export async function openViewer(
  browser: Browser,
  address: string,
  { width = 1280, height = 800, theme = 'light', isTouch = false, before = '' }: PageOptions = {},
): Promise<OpenViewer> {
  const context = await browser.newContext({
    ...{ viewport: { width, height }, colorScheme: theme, hasTouch: isTouch, isMobile: isTouch },
  });
  await context.addInitScript(before);
  const page = await context.newPage();
  const messages: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => messages.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => messages.push(`thrown: ${error.message}`));
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(address);
  await page.waitForSelector('html[data-ready]', { state: 'attached' });
  return { page, messages, requests };
}

/** Requests other than the page's own address and its own blobs. */
export const foreignRequests = ({ requests }: OpenViewer, ...own: string[]): string[] =>
  requests.filter((url) => !/^(blob|data):/.test(url) && !own.some((start) => url.split('#')[0].startsWith(start)));

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Violations that axe-core finds, one a line. It runs in a world of its own beside the page's,
 * whose policy lets no other script in.
 */
export async function violations({ page }: OpenViewer): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id });
  const evaluate = async (expression: string): Promise<string> => {
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      ...{ expression, contextId: executionContextId, awaitPromise: true, returnByValue: true },
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  await evaluate(`${axeSource};''`);
  const found: AxeResults = JSON.parse(await evaluate('axe.run(document).then(JSON.stringify)'));
  await session.detach();
  return found.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help}: ${target.join(' ')}: ${failureSummary}`),
  );
}

/** The page's text on its pair when the objects rest. */
export interface Said {
  /** The large words: the class, and how near. */
  words: string;
  /** The verdict of the surfaces: the first word of the text. */
  verdict: string;
  /** The lines of the command line, and the command that prints them. */
  text: string;
  command: string;
}

/**
 * Waits for the answer of a pair that rests.
 *
 * @param mark what the command holds when it is the answer that is waited for, and not the one before
 */
export async function answer(page: Page, mark = ''): Promise<Said> {
  await until(
    page,
    `(() => {
      const report = document.querySelector('.report');
      const command = document.querySelector('[aria-label="Command"]').textContent;
      return !report.hidden && !report.classList.contains('old') && command.includes(${JSON.stringify(mark)});
    })()`,
  );
  const read = async (selector: string): Promise<string> => (await page.locator(selector).first().textContent()) ?? '';
  const text = await read('[aria-label="Answer of the command line"]');
  return {
    words: await read('.verdict'),
    verdict: text.split(/\s/, 1)[0],
    text,
    command: await read('[aria-label="Command"]'),
  };
}

/**
 * Waits until an expression is true in the page. `waitForFunction` would evaluate text there, which
 * the page's policy forbids.
 */
export async function until(page: Page, expression: string): Promise<void> {
  for (let look = 0; look < MOST_LOOKS; look++) {
    if (await page.evaluate(expression)) return;
    await page.waitForTimeout(20);
  }
  throw new Error(`never true: ${expression}; the page says: ${await page.locator('body').innerText()}`);
}

/** Shows another view, as by changing the address. */
export const goTo = (page: Page, view: string): Promise<unknown> =>
  page.evaluate(`location.hash = ${JSON.stringify(view)}`);
