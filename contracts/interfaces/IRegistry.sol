// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice Roles, approved facets, the release and the diamond factory of one network.
interface IRegistry {
    event RootTransferStarted(address indexed root, address indexed pendingRoot);
    event RootTransferred(address indexed previousRoot, address indexed root);
    event OperatorSet(address indexed account, bool enabled);
    event UpgraderSet(address indexed account, bool enabled);
    event GuardianSet(address indexed account, bool enabled);
    event PausedSet(bool paused, address indexed by);
    event FacetProposed(bytes32 indexed codeHash, uint256 effectiveAt);
    event FacetRevoked(bytes32 indexed codeHash, address indexed by);
    event ReleaseSet(string version, address[] facets);
    event DiamondCreated(address indexed diamond, bytes16 indexed nodeId, bytes16 indexed walletId);

    error InvalidRoot();
    error NotRoot(address caller);
    error NotPendingRoot(address caller);
    error NotGuardian(address caller);
    error InvalidCodeHash(bytes32 codeHash);
    error FacetIsRevoked(bytes32 codeHash);
    error FacetNotApproved(address facet, bytes32 codeHash);
    error SelectorClash(bytes4 selector);
    error SelectorMissing(bytes4 selector);
    error NoRelease();

    /// @notice The owner of the registry, an offline multisig.
    function root() external view returns (address);

    /// @notice Who may become root by calling `acceptRoot`; zero when no transfer is under way.
    function pendingRoot() external view returns (address);

    /// @notice Seconds between the approval of a facet and its use, once there is a release.
    function approvalDelay() external view returns (uint256);

    /// @notice Tells apart the registries that one root runs on a network.
    function platformId() external view returns (bytes32);

    /// @notice True while deals can neither be created nor paid; they can still be cancelled.
    function paused() external view returns (bool);

    /// @notice True for keys (and the batcher) that create and cancel deals.
    function isOperator(address account) external view returns (bool);

    /// @notice True for keys that cut diamonds to approved facets.
    function isUpgrader(address account) external view returns (bool);

    /// @notice True for keys that may pause, revoke facets, and disable operators and upgraders.
    function isGuardian(address account) external view returns (bool);

    /// @notice `isOperator(account)` and `paused()` in one call, for the hot path of the facets.
    function operatorState(address account) external view returns (bool operator, bool isPaused);

    /// @notice True once the delay of an approved facet code hash has passed and it is not revoked.
    function isApproved(bytes32 codeHash) external view returns (bool);

    /// @notice Unix time from which an approved code hash may be used; zero when it was never approved.
    function effectiveAt(bytes32 codeHash) external view returns (uint256);

    /// @notice True for a code hash that was revoked, for ever.
    function isRevoked(bytes32 codeHash) external view returns (bool);

    /// @notice Version label and facets of the release that new diamonds start with; empty before the first release.
    function release() external view returns (string memory version, address[] memory facets);

    /// @notice True for diamonds created by this registry.
    function isDiamond(address diamond) external view returns (bool);

    /// @notice CREATE2 address of the diamond of this node and wallet; the same on every network.
    function diamondAddress(bytes16 nodeId, bytes16 walletId) external view returns (address);

    /// @notice Creates the diamond, or returns the address where it already exists. Open to anyone.
    function createDiamond(bytes16 nodeId, bytes16 walletId) external returns (address diamond);

    /// @notice Root offers its place to `newRoot`; zero withdraws the offer.
    function transferRoot(address newRoot) external;

    /// @notice The account that was offered root takes it.
    function acceptRoot() external;

    /// @notice Root enables and disables operators; a guardian may disable.
    function setOperator(address account, bool enabled) external;

    /// @notice Root enables and disables upgraders; a guardian may disable.
    function setUpgrader(address account, bool enabled) external;

    /// @notice Root enables and disables guardians.
    function setGuardian(address account, bool enabled) external;

    /// @notice Root and guardians pause, root unpauses.
    function setPaused(bool pause) external;

    /// @notice Root approves facets or `_init` contracts by runtime code hash: effective after the delay, at once
    ///         before the first release. What is approved already stays as it is.
    function approveFacets(bytes32[] calldata codeHashes) external;

    /// @notice Root or a guardian revokes a code hash, for ever. Diamonds that use it keep it until they are cut.
    function revokeFacet(bytes32 codeHash) external;

    /// @notice Root sets what new diamonds start with: approved facets without a selector clash, cut and loupe included.
    function setRelease(string calldata version, address[] calldata facets) external;
}
