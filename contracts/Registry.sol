// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Diamond} from "./Diamond.sol";
import {IDiamondCut} from "./interfaces/IDiamondCut.sol";
import {IDiamondLoupe} from "./interfaces/IDiamondLoupe.sol";
import {IERC165} from "./interfaces/IERC165.sol";
import {IFacet} from "./interfaces/IFacet.sol";
import {IRegistry} from "./interfaces/IRegistry.sol";

/// @notice Roles, approved facets, the release and the diamond factory of one network.
/// @dev Deployed through the deterministic deployer, so the constructor looks at its arguments only, never at who
///      sends: the same three arguments give the same address on every network.
contract Registry is IRegistry {
    /// @inheritdoc IRegistry
    uint256 public immutable approvalDelay;
    /// @inheritdoc IRegistry
    bytes32 public immutable platformId;

    /// @inheritdoc IRegistry
    address public root;
    /// @inheritdoc IRegistry
    bool public paused;
    /// @inheritdoc IRegistry
    address public pendingRoot;
    /// @inheritdoc IRegistry
    mapping(address account => bool) public isOperator;
    /// @inheritdoc IRegistry
    mapping(address account => bool) public isUpgrader;
    /// @inheritdoc IRegistry
    mapping(address account => bool) public isGuardian;
    /// @inheritdoc IRegistry
    mapping(bytes32 codeHash => uint256) public effectiveAt;
    /// @inheritdoc IRegistry
    mapping(bytes32 codeHash => bool) public isRevoked;
    /// @inheritdoc IRegistry
    mapping(address diamond => bool) public isDiamond;

    string private releaseVersion;
    address[] private releaseFacets;

    modifier onlyRoot() {
        if (msg.sender != root) revert NotRoot(msg.sender);
        _;
    }

    /// @param initialRoot Owner of the registry, an offline multisig in production.
    /// @param delay Seconds between the approval of a facet and its use, once there is a release.
    /// @param platform Any 32 bytes; lets one root run several separate registries on a network.
    constructor(address initialRoot, uint256 delay, bytes32 platform) {
        if (initialRoot == address(0)) revert InvalidRoot();
        root = initialRoot;
        approvalDelay = delay;
        platformId = platform;
        emit RootTransferred(address(0), initialRoot);
    }

    /// @inheritdoc IRegistry
    function transferRoot(address newRoot) external onlyRoot {
        pendingRoot = newRoot;
        emit RootTransferStarted(root, newRoot);
    }

    /// @inheritdoc IRegistry
    function acceptRoot() external {
        if (msg.sender != pendingRoot) revert NotPendingRoot(msg.sender);
        emit RootTransferred(root, msg.sender);
        root = msg.sender;
        pendingRoot = address(0);
    }

    /// @inheritdoc IRegistry
    function setOperator(address account, bool enabled) external {
        requireMaySet(enabled);
        isOperator[account] = enabled;
        emit OperatorSet(account, enabled);
    }

    /// @inheritdoc IRegistry
    function setUpgrader(address account, bool enabled) external {
        requireMaySet(enabled);
        isUpgrader[account] = enabled;
        emit UpgraderSet(account, enabled);
    }

    /// @inheritdoc IRegistry
    function setGuardian(address account, bool enabled) external onlyRoot {
        isGuardian[account] = enabled;
        emit GuardianSet(account, enabled);
    }

    /// @inheritdoc IRegistry
    function setPaused(bool pause) external {
        requireMaySet(!pause);
        paused = pause;
        emit PausedSet(pause, msg.sender);
    }

    /// @inheritdoc IRegistry
    function approveFacets(bytes32[] calldata codeHashes) external onlyRoot {
        uint256 since = releaseFacets.length == 0 ? block.timestamp : block.timestamp + approvalDelay;
        for (uint256 i; i < codeHashes.length; ++i) {
            bytes32 codeHash = codeHashes[i];
            if (codeHash == 0 || codeHash == keccak256("")) revert InvalidCodeHash(codeHash);
            if (isRevoked[codeHash]) revert FacetIsRevoked(codeHash);
            // A second approval must neither restart nor shorten the delay.
            if (effectiveAt[codeHash] != 0) continue;
            effectiveAt[codeHash] = since;
            emit FacetProposed(codeHash, since);
        }
    }

    /// @inheritdoc IRegistry
    function revokeFacet(bytes32 codeHash) external {
        requireMaySet(false);
        if (isRevoked[codeHash]) return;
        isRevoked[codeHash] = true;
        emit FacetRevoked(codeHash, msg.sender);
    }

    /// @inheritdoc IRegistry
    function setRelease(string calldata version, address[] calldata facets) external onlyRoot {
        requireComplete(facets);
        releaseVersion = version;
        releaseFacets = facets;
        emit ReleaseSet(version, facets);
    }

    /// @inheritdoc IRegistry
    function createDiamond(bytes16 nodeId, bytes16 walletId) external returns (address diamond) {
        diamond = diamondAddress(nodeId, walletId);
        if (isDiamond[diamond]) return diamond;
        uint256 count = releaseFacets.length;
        if (count == 0) revert NoRelease();
        // A facet may have been revoked since it became part of the release.
        for (uint256 i; i < count; ++i) {
            requireApproved(releaseFacets[i]);
        }
        isDiamond[diamond] = true;
        new Diamond{salt: saltOf(nodeId, walletId)}();
        emit DiamondCreated(diamond, nodeId, walletId);
    }

    /// @inheritdoc IRegistry
    function release() external view returns (string memory version, address[] memory facets) {
        return (releaseVersion, releaseFacets);
    }

    /// @inheritdoc IRegistry
    function operatorState(address account) external view returns (bool operator, bool isPaused) {
        return (isOperator[account], paused);
    }

    /// @inheritdoc IRegistry
    function diamondAddress(bytes16 nodeId, bytes16 walletId) public view returns (address) {
        bytes32 codeHash = keccak256(type(Diamond).creationCode);
        bytes32 digest = keccak256(abi.encodePacked(hex"ff", address(this), saltOf(nodeId, walletId), codeHash));
        return address(uint160(uint256(digest)));
    }

    /// @inheritdoc IRegistry
    function isApproved(bytes32 codeHash) public view returns (bool) {
        uint256 since = effectiveAt[codeHash];
        return since != 0 && block.timestamp >= since && !isRevoked[codeHash];
    }

    function saltOf(bytes16 nodeId, bytes16 walletId) private pure returns (bytes32) {
        return keccak256(abi.encodePacked(nodeId, walletId));
    }

    /// @dev Root may do both; a guardian may only take power away.
    function requireMaySet(bool enabled) private view {
        if (msg.sender == root) return;
        if (enabled) revert NotRoot(msg.sender);
        if (!isGuardian[msg.sender]) revert NotGuardian(msg.sender);
    }

    function requireApproved(address facet) private view {
        if (!isApproved(facet.codehash)) revert FacetNotApproved(facet, facet.codehash);
    }

    /// @dev A release that clashes with itself, or whose diamonds could never be cut or looked into, is refused.
    function requireComplete(address[] calldata facets) private view {
        bytes4[] memory seen = new bytes4[](256);
        uint256 count;
        for (uint256 i; i < facets.length; ++i) {
            requireApproved(facets[i]);
            bytes4[] memory exported = IFacet(facets[i]).exportSelectors();
            for (uint256 j; j < exported.length; ++j) {
                if (includes(seen, count, exported[j])) revert SelectorClash(exported[j]);
                seen[count++] = exported[j];
            }
        }
        bytes4[7] memory needed = [
            IDiamondCut.diamondCut.selector,
            IDiamondCut.diamondCutChecked.selector,
            IDiamondLoupe.facets.selector,
            IDiamondLoupe.facetFunctionSelectors.selector,
            IDiamondLoupe.facetAddresses.selector,
            IDiamondLoupe.facetAddress.selector,
            IERC165.supportsInterface.selector
        ];
        for (uint256 i; i < needed.length; ++i) {
            if (!includes(seen, count, needed[i])) revert SelectorMissing(needed[i]);
        }
    }

    function includes(bytes4[] memory list, uint256 length, bytes4 selector) private pure returns (bool) {
        for (uint256 i; i < length; ++i) {
            if (list[i] == selector) return true;
        }
        return false;
    }
}
