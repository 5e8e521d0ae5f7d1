// SPDX-License-Identifier: Apache-2.0
/** The page at `/`, in a real browser against the whole local stack. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type LocalStack, startLocalStack } from '../../local/app';
import { findChromium, launch } from './support/chromium';

const executablePath = findChromium();
const describeInBrowser = executablePath === undefined ? describe.skip : describe;

describeInBrowser('the page', () => {
  let stack: LocalStack;
  let browser: Browser;
  const contexts: BrowserContext[] = [];

  beforeAll(async () => {
    stack = await startLocalStack({ port: 0, https: false }, { log: () => {} });
    browser = await launch(executablePath ?? '');
  }, 120_000);

  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close();
  });

  afterAll(async () => {
    await browser?.close();
    await stack?.close();
  });

  /** A browser of its own, as far as cookies go. Faults of the page fail the test. */
  async function open(): Promise<{ page: Page; faults: string[] }> {
    const context = await browser.newContext();
    contexts.push(context);
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      // Chromium itself reports answers such as 401 as errors.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        faults.push(message.text());
    });
    await page.goto(stack.url);
    return { page, faults };
  }

  async function signIn(page: Page, user: string, password = user): Promise<void> {
    await page.getByLabel('User name').fill(user);
    await page.getByLabel('Password').fill(password);
    await page.getByLabel('Password').press('Enter');
  }

  const requests = (page: Page) => page.getByRole('list', { name: 'Requests, newest first' }).getByRole('listitem');
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });

  it('signs in, shows the session and what each request cost, and signs out', async () => {
    const { page, faults } = await open();
    await heading(page, 'Sign in').waitFor();
    expect(await requests(page).first().textContent()).toMatch(/GET \/session401.*0 reads, 0 writes.*Gateway alone/);

    await signIn(page, 'demo');
    await heading(page, 'This session').waitFor();

    expect(await page.getByText('Signed in as').textContent()).toBe('Signed in as demo');
    expect(await page.locator('#expires-at').textContent()).toMatch(/in 30 days/);
    await heading(page, 'Your devices').waitFor();
    const costs = await requests(page).allTextContents();
    expect(costs.join('\n')).toMatch(/GET \/session200.*1 read, 0 writes.*AuthorizerFunction.*GetItem S#/);
    expect(costs.join('\n')).toMatch(/POST \/login200.*3 reads, 2 writes/);
    expect(costs.join('\n')).not.toContain('about');

    await page.getByRole('button', { name: 'Call GET /hello' }).click();
    await page.getByText('Hello, demo!').waitFor();

    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByText('Signed out.').waitFor();
    await page.locator('#username:focus').waitFor();
    await page.getByRole('button', { name: 'Call GET /hello' }).click();
    await page.getByText('401: no session').waitFor();
    expect(faults).toEqual([]);
  }, 60_000);

  it('is still signed in when it is loaded again, by a cookie that no script can read', async () => {
    const { page } = await open();
    await signIn(page, 'alice');
    await heading(page, 'This session').waitFor();

    await page.reload();
    await heading(page, 'This session').waitFor();

    expect(await page.evaluate('document.cookie')).toBe('');
    expect(await page.context().cookies()).toEqual([
      expect.objectContaining({ name: 'session', httpOnly: true, sameSite: 'Lax', path: '/' }),
    ]);
  }, 60_000);

  it('says so when the password is wrong, and keeps the user name', async () => {
    const { page } = await open();
    await signIn(page, 'demo', 'wrong');

    await page.getByText('User name or password is wrong.').waitFor();

    expect(await page.getByLabel('User name').inputValue()).toBe('demo');
    expect(await page.getByLabel('Password').inputValue()).toBe('');
  }, 60_000);

  it('lists devices, signs one out and all others, and tells the one that was signed out', async () => {
    const { page: first } = await open();
    const { page: second } = await open();
    const { page: third } = await open();
    for (const page of [first, second, third]) {
      await signIn(page, 'alice');
      await heading(page, 'Your devices').waitFor();
    }
    await first.reload();
    const devices = first.locator('#device-list').getByRole('listitem');
    await first.getByText('this one').waitFor();
    const before = await devices.count();

    await first
      .getByRole('button', { name: /^Sign out Chrome/ })
      .first()
      .click();
    await first.getByText('Signed out there.').waitFor();
    expect(await devices.count()).toBe(before - 1);

    await first.getByRole('button', { name: 'Sign out the others' }).click();
    await first.getByText(/Signed out of \d+ other session/).waitFor();
    expect(await devices.count()).toBe(1);

    for (const page of [second, third]) {
      await page
        .getByRole('button', { name: 'Sign out the others' })
        .or(page.getByRole('button', { name: 'Sign out everywhere' }))
        .first()
        .click();
      await page.getByText('This session has ended. Sign in again.').waitFor();
    }
    await first.getByRole('button', { name: 'Sign out everywhere' }).click();
    await first.getByText('Signed out everywhere.').waitFor();
    await heading(first, 'Sign in').waitFor();
  }, 60_000);

  it.each([404, 403])(
    'says so where the API has no device routes (%i)',
    async (status) => {
      const { page } = await open();
      await page.route('**/sessions', (route) => route.fulfill({ status, json: { message: 'none' } }));
      await signIn(page, 'demo');

      await page.getByText(`This API does not list devices (${status}).`).waitFor();

      expect(await page.getByRole('button', { name: 'Sign out everywhere' }).isVisible()).toBe(false);
      await heading(page, 'This session').waitFor();
    },
    60_000,
  );

  it('allows nothing from elsewhere and no inline code', async () => {
    const response = await fetch(stack.url);

    const policy = response.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(await response.text()).not.toMatch(/ on\w+=|<script>|<style|style=/);
  });
});
