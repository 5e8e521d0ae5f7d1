// SPDX-License-Identifier: Apache-2.0
/** A browser that keeps its cookies, and looks at what an answer says about them. */
import { Browser as CookieJar } from '../legacy/express-app';
import type { Application } from './application';

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly setCookies: readonly string[];
  readonly cacheControl: string | null;
}

export class Browser extends CookieJar {
  constructor(readonly application: Pick<Application, 'url'>) {
    super();
  }

  async get(path: string): Promise<Answer> {
    const response = await fetch(this.application.url + path, { headers: { Cookie: this.cookieHeader } });
    const setCookies = response.headers.getSetCookie();
    this.take(setCookies);
    return {
      status: response.status,
      body: (await response.json()) as Record<string, unknown>,
      setCookies,
      cacheControl: response.headers.get('Cache-Control'),
    };
  }

  override copy(): Browser {
    const copy = new Browser(this.application);
    for (const [name, value] of this.cookies) copy.cookies.set(name, value);
    return copy;
  }
}
