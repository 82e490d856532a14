// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IDiamondCut} from "../interfaces/IDiamondCut.sol";
import {IFacet} from "../interfaces/IFacet.sol";
import {IRegistry} from "../interfaces/IRegistry.sol";
import {LibDiamond} from "../libraries/LibDiamond.sol";
import {LibLock} from "../libraries/LibLock.sol";
import {Roles} from "../libraries/Roles.sol";

/// @notice Upgrades one diamond to facets that the registry has approved (EIP-2535).
/// @dev A stolen upgrader key cannot bring in foreign code. Approval covers code at an address, and a cut runs nothing
///      else. A selector goes only to a facet that exports it, so a replacement cannot remove cut or loupe either.
/// @custom:version 1.0.0
contract DiamondCutFacet is IDiamondCut, IFacet {
    /// @inheritdoc IDiamondCut
    function diamondCut(FacetCut[] calldata _diamondCut, address _init, bytes calldata _calldata) external {
        applyCut(_diamondCut, _init, _calldata);
    }

    /// @inheritdoc IDiamondCut
    function diamondCutChecked(
        FacetCut[] calldata _diamondCut,
        address _init,
        bytes calldata _calldata,
        bytes32 expectedLoupeHash
    ) external {
        bytes32 actual = keccak256(abi.encode(LibDiamond.facets()));
        if (actual != expectedLoupeHash) revert StaleLoupe(expectedLoupeHash, actual);
        applyCut(_diamondCut, _init, _calldata);
    }

    /// @inheritdoc IFacet
    function exportSelectors() external pure returns (bytes4[] memory selectors) {
        selectors = new bytes4[](2);
        selectors[0] = IDiamondCut.diamondCut.selector;
        selectors[1] = IDiamondCut.diamondCutChecked.selector;
    }

    /// @inheritdoc IFacet
    function facetName() external pure returns (string memory) {
        return "DiamondCutFacet";
    }

    /// @inheritdoc IFacet
    function facetVersion() external pure returns (string memory) {
        return "1.0.0";
    }

    function applyCut(FacetCut[] calldata cuts, address init, bytes calldata data) private {
        LibLock.acquire();
        IRegistry registry = IRegistry(LibDiamond.store().registry);
        (bool isUpgrader,) = registry.roleState(Roles.UPGRADER, msg.sender);
        if (!isUpgrader && msg.sender != registry.root()) revert NotUpgrader(msg.sender);
        if (init != address(0) || data.length != 0) revert InitRefused(init);

        for (uint256 i; i < cuts.length; ++i) {
            FacetCut calldata cut = cuts[i];
            if (cut.action == FacetCutAction.Remove) {
                if (cut.facetAddress != address(0)) revert RemoveNeedsZeroFacet(cut.facetAddress);
                requireRemovable(cut.functionSelectors);
                LibDiamond.remove(cut.functionSelectors);
            } else {
                requireServed(registry, cut.facetAddress, cut.functionSelectors);
                if (cut.action == FacetCutAction.Add) LibDiamond.add(cut.facetAddress, cut.functionSelectors);
                else LibDiamond.replace(cut.facetAddress, cut.functionSelectors);
            }
        }
        emit DiamondCut(cuts, init, data);
        LibLock.release();
    }

    function requireServed(IRegistry registry, address facet, bytes4[] calldata selectors) private view {
        if (!registry.isApproved(facet)) revert FacetNotApproved(facet, facet.codehash);
        bytes4[] memory exported = IFacet(facet).exportSelectors();
        for (uint256 i; i < selectors.length; ++i) {
            if (!LibDiamond.includes(exported, selectors[i])) revert SelectorNotExported(facet, selectors[i]);
        }
    }

    function requireRemovable(bytes4[] calldata selectors) private pure {
        bytes4[] memory kept = LibDiamond.protectedSelectors();
        for (uint256 i; i < selectors.length; ++i) {
            if (LibDiamond.includes(kept, selectors[i])) revert SelectorProtected(selectors[i]);
        }
    }
}
