// SPDX-License-Identifier: Apache-2.0
package science.atlarge.graphalytics.atoll;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.apache.commons.configuration.Configuration;
import science.atlarge.graphalytics.configuration.ConfigurationUtil;
import science.atlarge.graphalytics.domain.algorithms.AlgorithmParameters;
import science.atlarge.graphalytics.domain.algorithms.BreadthFirstSearchParameters;
import science.atlarge.graphalytics.domain.algorithms.CommunityDetectionLPParameters;
import science.atlarge.graphalytics.domain.algorithms.PageRankParameters;
import science.atlarge.graphalytics.domain.algorithms.SingleSourceShortestPathsParameters;
import science.atlarge.graphalytics.domain.benchmark.BenchmarkRun;
import science.atlarge.graphalytics.domain.graph.FormattedGraph;
import science.atlarge.graphalytics.domain.graph.LoadedGraph;
import science.atlarge.graphalytics.execution.BenchmarkRunSetup;
import science.atlarge.graphalytics.execution.BenchmarkRunner;
import science.atlarge.graphalytics.execution.Platform;
import science.atlarge.graphalytics.execution.PlatformExecutionException;
import science.atlarge.graphalytics.execution.RunSpecification;
import science.atlarge.graphalytics.report.result.BenchmarkMetric;
import science.atlarge.graphalytics.report.result.BenchmarkMetrics;

/**
 * Atoll as a platform of LDBC Graphalytics. The work is done by the scripts of bin/sh, which call the command `atoll`; here
 * the benchmark's calls become their arguments. Properties, of config/platform.properties:
 * platform.atoll.command, .ranks, .threads, .options.
 */
public class AtollPlatform implements Platform {
  private static final Path SCRIPTS = Paths.get("bin", "sh").toAbsolutePath();
  private static final Path LOADED = Paths.get("intermediate").toAbsolutePath();

  @Override
  public String getPlatformName() {
    return "atoll";
  }

  @Override
  public void verifySetup() throws Exception {
    call("check-setup.sh", Arrays.asList("--atoll", setting("command", "atoll")));
  }

  @Override
  public LoadedGraph loadGraph(FormattedGraph graph) throws Exception {
    Path folder = LOADED.resolve(graph.getName());
    call(
        "load-graph.sh",
        Arrays.asList(
            "--graph-name", graph.getName(),
            "--input-vertex-path", graph.getVertexFilePath(),
            "--input-edge-path", graph.getEdgeFilePath(),
            "--output-path", folder.toString(),
            "--directed", Boolean.toString(graph.isDirected()),
            "--weighted", Boolean.toString(graph.hasEdgeProperties())));
    return new LoadedGraph(graph, folder.toString());
  }

  @Override
  public void deleteGraph(LoadedGraph graph) throws Exception {
    call("unload-graph.sh", Arrays.asList("--output-path", graph.getLoadedPath()));
  }

  @Override
  public void prepare(RunSpecification specification) {}

  @Override
  public void startup(RunSpecification specification) throws Exception {
    Files.createDirectories(logs(specification));
  }

  @Override
  public void run(RunSpecification specification) throws PlatformExecutionException {
    BenchmarkRun run = specification.getBenchmarkRun();
    BenchmarkRunSetup setup = specification.getBenchmarkRunSetup();
    List<String> words =
        new ArrayList<>(
            Arrays.asList(
                "--job-id", run.getId(),
                "--log-path", logs(specification).toString(),
                "--algorithm", run.getAlgorithm().getAcronym().toLowerCase(Locale.ROOT),
                "--input-path", specification.getRuntimeSetup().getLoadedGraph().getLoadedPath(),
                "--output-path", setup.getOutputDir().resolve(run.getName()).toAbsolutePath().toString()));
    words.addAll(parameters(run.getAlgorithmParameters()));
    try {
      words.addAll(
          Arrays.asList(
              "--atoll", setting("command", "atoll"),
              "--ranks", setting("ranks", "1"),
              "--threads", setting("threads", "0"),
              "--options", setting("options", "")));
      call("execute-job.sh", words);
    } catch (Exception why) {
      throw new PlatformExecutionException("Atoll did not finish " + run.getName(), why);
    }
  }

  @Override
  public BenchmarkMetrics finalize(RunSpecification specification) throws Exception {
    Path file = logs(specification).resolve("processing-seconds");
    String seconds = new String(Files.readAllBytes(file), StandardCharsets.UTF_8).trim();
    BenchmarkMetrics metrics = new BenchmarkMetrics();
    metrics.setProcessingTime(new BenchmarkMetric(new BigDecimal(seconds), "s"));
    return metrics;
  }

  @Override
  public void terminate(RunSpecification specification) {
    BenchmarkRunner.terminatePlatform(specification); // ends the process of executable.pid
  }

  private static List<String> parameters(AlgorithmParameters all) {
    if (all instanceof BreadthFirstSearchParameters) {
      return Arrays.asList("--source-vertex", "" + ((BreadthFirstSearchParameters) all).getSourceVertex());
    }
    if (all instanceof SingleSourceShortestPathsParameters) {
      return Arrays.asList("--source-vertex", "" + ((SingleSourceShortestPathsParameters) all).getSourceVertex());
    }
    if (all instanceof CommunityDetectionLPParameters) {
      return Arrays.asList("--max-iteration", "" + ((CommunityDetectionLPParameters) all).getMaxIterations());
    }
    if (all instanceof PageRankParameters) {
      PageRankParameters rank = (PageRankParameters) all;
      return Arrays.asList(
          "--damping-factor", "" + rank.getDampingFactor(), "--max-iteration", "" + rank.getNumberOfIterations());
    }
    return new ArrayList<>();
  }

  private static Path logs(RunSpecification specification) {
    return specification.getBenchmarkRunSetup().getLogDir().resolve("platform").toAbsolutePath();
  }

  private static String setting(String name, String otherwise) throws Exception {
    Configuration configuration = ConfigurationUtil.loadConfiguration("benchmark.properties");
    String value = configuration.getString("platform.atoll." + name, "");
    return value.isEmpty() ? otherwise : value;
  }

  private static void call(String script, List<String> words) throws Exception {
    List<String> command = new ArrayList<>(Arrays.asList("bash", SCRIPTS.resolve(script).toString()));
    command.addAll(words);
    int code = new ProcessBuilder(command).inheritIO().start().waitFor();
    if (code != 0) {
      throw new PlatformExecutionException(script + " left with exit code " + code + "; see what it printed.");
    }
  }
}
