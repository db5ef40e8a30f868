# A hub with its own Chromium: make dist && docker build -t browser-pilot .   See docs/containers.md.
FROM python:3.12-slim-bookworm

RUN apt-get update \
    && apt-get install -y --no-install-recommends chromium fonts-liberation tini \
    && rm -rf /var/lib/apt/lists/*

COPY dist/*.whl /tmp/
RUN wheel=$(ls /tmp/*.whl) && pip install --no-cache-dir "$wheel[redis]" && rm "$wheel"

# Chromium's sandbox needs a normal user.
RUN useradd --create-home --uid 1000 pilot && mkdir /data && chown pilot:pilot /data
USER pilot
VOLUME /data
WORKDIR /data

# All addresses of the container: publish the port on the host's loopback only.
ENV BROWSER_PILOT_HOME=/data \
    BROWSER_PILOT_HUB__HOST=0.0.0.0 \
    BROWSER_PILOT_HUB__ALLOWED_HOSTS='["127.0.0.1:8777","localhost:8777"]'
EXPOSE 8777

HEALTHCHECK --interval=30s --timeout=10s --start-period=60s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen(urllib.request.Request('http://127.0.0.1:8777/health'), timeout=5)"]

ENTRYPOINT ["tini", "--", "browser-pilot"]
CMD ["serve"]
