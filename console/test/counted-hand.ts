/** The mouse and the keyboard of a newcomer. Counts what they do: a click, a drag, or a text is one step. */
import type { Locator, Page } from 'playwright-core'

type Pressed = 'link' | 'button' | 'option' | 'radio' | 'menuitem'

export class CountedHand {
  readonly page: Page
  #steps = 0

  constructor(page: Page) {
    this.page = page
  }

  get steps(): number {
    return this.#steps
  }

  /** Does something that counts as one step. */
  async step<T>(act: () => Promise<T>): Promise<T> {
    this.#steps++
    return await act()
  }

  /** Clicks the first one of this name. */
  async click(role: Pressed, name: string | RegExp): Promise<void> {
    await this.step(() => this.page.getByRole(role, { name, exact: true }).first().click())
  }

  /** Types into what has the focus. */
  async type(text: string): Promise<void> {
    await this.step(() => this.page.keyboard.type(text))
  }

  /** Types into a field: its click and the text are two steps. */
  async fill(label: string, text: string): Promise<void> {
    await this.step(() => this.page.getByLabel(label, { exact: true }).click())
    await this.type(text)
  }

  /** Drags one thing onto another. */
  async drag(from: Locator, to: Locator): Promise<void> {
    await this.step(() => from.dragTo(to))
  }
}
