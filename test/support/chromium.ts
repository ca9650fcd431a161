/**
 * Chromium without a window, with WebGL and WebGPU on SwiftShader, and a page that has the library as
 * a browser gets it. Debian's package chromium has both.
 */
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, chromium, type Page } from 'playwright-core';
import { bundleBrowser } from '../../scripts/bundle-browser.mjs';

const PROGRAMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Its program; undefined where there is none, and the reason is printed. */
export const chromiumProgram = PROGRAMS.find((file) => existsSync(file));
if (!chromiumProgram) console.log('browser tests are skipped: no Chromium; apt-get install chromium brings one');

const FLAGS = [
  // A name that is not localhost: browsers take its pages of plain http for insecure.
  '--host-resolver-rules=MAP plain.test 127.0.0.1',
  '--no-sandbox',
  '--enable-unsafe-webgpu',
  '--enable-features=Vulkan',
  '--use-webgpu-adapter=swiftshader',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
];

/** A browser of one's own, which its test closes. Nothing in it has a limit but the test's. */
export async function launchBrowser(): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: chromiumProgram ?? '',
    args: FLAGS,
    timeout: 0,
    // Playwright would keep a process alive that should end. The browser still ends with it.
    handleSIGTERM: false,
  });
  // Playwright's own is 30 s, which a busy machine takes.
  browser.on('context', (context) => context.setDefaultTimeout(0));
  return browser;
}

let shared: Promise<Browser> | undefined;

/**
 * The browser of all tests of this process, for its start takes longer than most of them. It ends with
 * the process; what a test opens in it, that test closes.
 */
export function sharedBrowser(): Promise<Browser> {
  shared ??= launchBrowser();
  return shared;
}

export interface OpenPage {
  page: Page;
  close(): Promise<void>;
}

/**
 * A page whose global `gicollide` is the library. Browsers trust 127.0.0.1 as they trust https, and
 * `plain.test` they don't.
 */
export async function openPage(host: '127.0.0.1' | 'plain.test' = '127.0.0.1'): Promise<OpenPage> {
  const library = await bundleBrowser();
  const html = '<!doctype html><title>gicollide</title><link rel="icon" href="data:,">';
  const server = createServer(({ url }, answer) => {
    const isLibrary = url === '/gicollide.js';
    answer.setHeader('content-type', isLibrary ? 'text/javascript' : 'text/html').end(isLibrary ? library : html);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const page = await (await sharedBrowser()).newPage();
  await page.goto(`http://${host}:${(server.address() as AddressInfo).port}/`);
  await page.addScriptTag({
    type: 'module',
    content: "import * as gicollide from '/gicollide.js'; globalThis.gicollide = gicollide;",
  });
  await page.waitForFunction('globalThis.gicollide');
  const close = async () => {
    await page.close();
    server.close();
  };
  return { page, close };
}
