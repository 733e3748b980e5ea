# SPDX-License-Identifier: Apache-2.0
"""The page of `atoll serve` in a real browser without a window: by keyboard, at a phone's width, dark and light."""

import shutil

import pytest

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
if not (CHROMIUM and DRIVER):
    pytest.skip("no chromium and chromedriver (Debian: chromium, chromium-driver)", allow_module_level=True)
for module in ("duckdb", "fastapi", "selenium"):
    pytest.importorskip(module)

from selenium import webdriver  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402
from serve_client import NAMES, served_folder, server  # noqa: E402

pytestmark = pytest.mark.nightly

PATIENCE_S = 60
TOKEN = "0123456789abcdef"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return served_folder(tmp_path_factory.mktemp("served"))


@pytest.fixture(scope="module")
def address(folder):
    with server(folder) as (address, _):
        yield address


@pytest.fixture(scope="module")
def browser():
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for word in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--window-size=1100,900",
    ):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService(DRIVER))
    yield driver
    driver.quit()


class Page:
    """The page in a browser, as a user meets it."""

    def __init__(self, browser):
        self.browser = browser

    def open(self, address):
        self.browser.get_log("browser")
        self.browser.get(address)
        return self

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def until(self, condition):
        return WebDriverWait(self.browser, PATIENCE_S, 0.05).until(lambda _: condition())

    def answered(self, text):
        self.until(lambda: text in self.one("#status").text)

    def names(self, part="#paths"):
        return self.browser.execute_script(
            "return [...document.querySelectorAll(arguments[0] + ' text:not(.note) title')].map(t => t.textContent)",
            part,
        )

    def complaints(self):
        """Returns what the browser's console has, but for questions that were answered by a problem."""
        lines = [line["message"] for line in self.browser.get_log("browser")]
        return [line for line in lines if "responded with a status of 4" not in line]


@pytest.fixture
def page(browser):
    browser.set_window_size(1100, 900)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    return Page(browser)


def test_two_names_typed_by_keyboard_alone_give_the_path_the_curated_one_and_the_scenario(page, address):
    page.open(f"{address}/")
    page.until(lambda: "6 concepts" in page.one("#about").text)
    page.one("body").send_keys(Keys.TAB)
    focused = page.browser.switch_to.active_element
    assert focused.get_attribute("id") == "from"
    focused.send_keys("scler")
    page.until(lambda: page.all("#from-options li"))
    assert focused.get_attribute("aria-expanded") == "true"
    focused.send_keys(Keys.ARROW_DOWN)
    chosen = page.one("#from-options [aria-selected=true]")
    assert chosen.get_attribute("id") == focused.get_attribute("aria-activedescendant")
    focused.send_keys(Keys.ENTER)
    assert focused.get_attribute("value") == "L0" and not page.one("#from-options").is_displayed()
    focused.send_keys(Keys.TAB)
    page.browser.switch_to.active_element.send_keys(Keys.TAB)
    target = page.browser.switch_to.active_element
    assert target.get_attribute("id") == "to"
    target.send_keys("L2", Keys.ESCAPE, Keys.ENTER)
    page.answered("1 path.")
    assert page.names() == [NAMES[0], NAMES[1], NAMES[2]]
    assert page.names("#curated") == ["curated 0", "curated 1", "curated 2"]
    assert "Scenario 1" in page.one("#scenario").text
    assert len(page.all("#paths line.curated")) == 2
    rows = [[cell.text for cell in row.find_elements(By.TAG_NAME, "td")] for row in page.all("#sources tbody tr")]
    assert [(row[3], row[4]) for row in rows] == [("9", "literature.csv"), ("7", "literature.csv")]
    assert "from=L0&to=L2" in page.browser.current_url and page.complaints() == []


def test_an_address_with_a_question_is_answered_and_names_are_text(page, address):
    page.open(f"{address}/?from=L4&to=L5")
    page.answered("1 path.")
    assert page.names() == [NAMES[4], NAMES[5]] and not page.all("#answer b")
    assert NAMES[5] in page.one("#status").text and page.complaints() == []
    assert page.one("#paths svg").get_attribute("aria-label") == f"Path: {NAMES[4]}, weight 0, count 3; {NAMES[5]}"
    assert "No scenario" in page.one("#scenario").text


def test_constraints_and_several_paths(page, address):
    page.open(f"{address}/?from=L0&to=L2&k=5")
    page.answered("2 paths.")
    assert page.names() == [NAMES[i] for i in (0, 1, 2, 0, 3, 2)] and len(page.all("#paths figure")) == 2
    page.open(f"{address}/?from=L0&to=L2&avoid=gene;L3")
    page.answered("0 paths.")
    assert "no such path" in page.one("#paths").text


def test_an_unknown_name_offers_the_nearest_which_a_click_takes(page, address):
    page.open(f"{address}/?from=hart failure&to=L0")
    page.answered("is no concept")
    page.one("#status button").click()
    page.answered("1 path.")
    assert page.one("#from").get_attribute("value") == "L1" and page.one("#to").get_attribute("value") == "L0"
    page.one("#swap").click()
    page.until(lambda: page.names() == [NAMES[0], NAMES[1]])


def test_at_a_phones_width_nothing_runs_out_of_the_page(page, address):
    page.browser.set_window_size(500, 800)
    page.browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": True}
    )
    try:
        page.open(f"{address}/?from=L0&to=L2&k=2")
        page.answered("2 paths.")
        width, inner = page.browser.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
        assert width <= inner == 360
        tops = [section.rect["y"] for section in page.all(".side-by-side section")]
        assert tops[0] < tops[1]  # below each other
        assert all(button.rect["height"] >= 40 for button in page.all("form#question button"))
    finally:
        page.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def luminance(color):
    parts = [int(part) / 255 for part in color[color.index("(") + 1 : -1].split(",")[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_both_schemes(page, address, scheme):
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    page.open(f"{address}/?from=L0&to=L2")
    page.answered("1 path.")
    for text, ground in ((".path text", "section"), (".path .note", "section"), ("#about", "body"), ("#ask", "#ask")):
        colors = page.browser.execute_script(
            "const style = s => getComputedStyle(document.querySelector(s)); const t = style(arguments[0]);"
            "return [arguments[0].startsWith('.path') ? t.fill : t.color, style(arguments[1]).backgroundColor]",
            text,
            ground,
        )
        bright, dark = sorted(map(luminance, colors), reverse=True)
        assert (bright + 0.05) / (dark + 0.05) >= 4.5, (text, colors)
    body = page.browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (luminance(body) < 0.5) == (scheme == "dark")


def test_a_server_with_a_token_asks_for_it_once(page, folder):
    with server(folder, environment={"ATOLL_SERVE_TOKEN": TOKEN}) as (address, _):
        page.open(f"{address}/?from=L0&to=L1")
        page.until(lambda: page.one("#token").is_displayed())
        page.one("#token").send_keys(TOKEN, Keys.ENTER)
        page.answered("1 path.")
        assert not page.one("#token-form").is_displayed() and TOKEN not in page.browser.current_url
        page.browser.execute_script("sessionStorage.clear()")


def test_a_server_that_has_ended_is_said(page, folder):
    with server(folder) as (address, process):
        page.open(f"{address}/?from=L0&to=L1")
        page.answered("1 path.")
        process.terminate()
        process.wait(30)
        page.one("#ask").click()
        page.answered("does not answer")
