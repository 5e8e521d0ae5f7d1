// SPDX-License-Identifier: Apache-2.0
/** IAM's wildcards: `*` is any text, empty and with slashes too, `?` is any one character. */

/** In time linear in text times pattern, however many stars there are. */
export function matchesWildcard(pattern: string, text: string): boolean {
  let patternIndex = 0;
  let textIndex = 0;
  let starIndex = -1;
  let resumeAt = 0;
  while (textIndex < text.length) {
    const symbol = pattern[patternIndex];
    if (symbol === '*') {
      starIndex = patternIndex;
      resumeAt = textIndex;
      patternIndex += 1;
    } else if (symbol === '?' || symbol === text[textIndex]) {
      patternIndex += 1;
      textIndex += 1;
    } else if (starIndex >= 0) {
      // Let the last star take one character more, and try again from there.
      resumeAt += 1;
      textIndex = resumeAt;
      patternIndex = starIndex + 1;
    } else {
      return false;
    }
  }
  return /^\**$/.test(pattern.slice(patternIndex));
}
