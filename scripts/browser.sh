# Finds or installs a headless browser; sourced from the top of the repository.

# The viewer's node modules. Where they cannot be had, `lacking` says why.
find_modules() {
    lacking="there is no npm"
    command -v npm >/dev/null || return 1
    # Again only when the wanted version has changed.
    cmp -s viewer/package-lock.json viewer/node_modules/.installed && return
    lacking="npm cannot install what it needs"
    npm --prefix viewer ci --ignore-scripts --no-audit --no-fund --loglevel=error || return 1
    cp viewer/package-lock.json viewer/node_modules/.installed
}

# `browser`: Debian's chromium, which is installed where this runs as root.
find_browser() {
    lacking="there is no chromium, and none can be installed"
    local name
    for name in chromium chromium-browser google-chrome; do
        browser=$(command -v $name) && return
    done
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
    apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq --yes --no-install-recommends install chromium
    browser=$(command -v chromium)
}
