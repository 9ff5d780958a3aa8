# One small image for every agent: the static binary, tesseract and fonts for
# vision. The browser is a service of its own.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=dev
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X github.com/quartet-agents/quartet/internal/cli.version=${VERSION}" -o /out/quartet ./cmd/quartet

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates tesseract-ocr fonts-dejavu-core \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --create-home quartet \
 && install -d -o quartet -g quartet /quartet /quartet/runs /downloads
COPY --from=build /out/quartet /usr/local/bin/quartet
COPY --chown=quartet examples /quartet/examples
USER quartet
WORKDIR /quartet
ENTRYPOINT ["quartet"]
CMD ["--help"]
