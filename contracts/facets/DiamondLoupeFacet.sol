// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IDealFacet} from "../interfaces/IDealFacet.sol";
import {IDiamondCut} from "../interfaces/IDiamondCut.sol";
import {IDiamondLoupe} from "../interfaces/IDiamondLoupe.sol";
import {IERC165} from "../interfaces/IERC165.sol";
import {IFacet} from "../interfaces/IFacet.sol";
import {LibDiamond} from "../libraries/LibDiamond.sol";

/// @notice Shows what a diamond consists of (EIP-2535, ERC-165), and since 1.1.0 that it takes deals.
/// @custom:version 1.1.0
contract DiamondLoupeFacet is IDiamondLoupe, IERC165, IFacet {
    /// @inheritdoc IDiamondLoupe
    function facets() external view returns (Facet[] memory) {
        return LibDiamond.facets();
    }

    /// @inheritdoc IDiamondLoupe
    function facetFunctionSelectors(address _facet) external view returns (bytes4[] memory) {
        Facet[] memory list = LibDiamond.facets();
        for (uint256 i; i < list.length; ++i) {
            if (list[i].facetAddress == _facet) return list[i].functionSelectors;
        }
        return new bytes4[](0);
    }

    /// @inheritdoc IDiamondLoupe
    function facetAddresses() external view returns (address[] memory addresses) {
        Facet[] memory list = LibDiamond.facets();
        addresses = new address[](list.length);
        for (uint256 i; i < list.length; ++i) {
            addresses[i] = list[i].facetAddress;
        }
    }

    /// @inheritdoc IDiamondLoupe
    function facetAddress(bytes4 _functionSelector) external view returns (address) {
        return LibDiamond.store().entries[_functionSelector].facet;
    }

    /// @inheritdoc IERC165
    function supportsInterface(bytes4 interfaceId) external pure returns (bool) {
        // EIP-2535 fixes the id of the cut interface to the one function it defines, so not type(IDiamondCut).interfaceId.
        return interfaceId == type(IERC165).interfaceId || interfaceId == type(IDiamondLoupe).interfaceId
            || interfaceId == IDiamondCut.diamondCut.selector || interfaceId == type(IDealFacet).interfaceId;
    }

    /// @inheritdoc IFacet
    function exportSelectors() external pure returns (bytes4[] memory selectors) {
        selectors = new bytes4[](5);
        selectors[0] = IDiamondLoupe.facets.selector;
        selectors[1] = IDiamondLoupe.facetFunctionSelectors.selector;
        selectors[2] = IDiamondLoupe.facetAddresses.selector;
        selectors[3] = IDiamondLoupe.facetAddress.selector;
        selectors[4] = IERC165.supportsInterface.selector;
    }

    /// @inheritdoc IFacet
    function facetName() external pure returns (string memory) {
        return "DiamondLoupeFacet";
    }

    /// @inheritdoc IFacet
    function facetVersion() external pure returns (string memory) {
        return "1.1.0";
    }
}
